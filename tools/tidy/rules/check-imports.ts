import { posix } from 'node:path'
import type { Finding } from '../finding.ts'
import type { Room } from '../import-table.ts'
import { consoleFolders, consoleImports, importTable } from '../import-table.ts'
import type { ImportUse } from '../list-imports.ts'
import { listImports } from '../list-imports.ts'
import type { SourceFile } from '../source-file.ts'

const rule = 'imports'
const inputOutputModules = new Set(
  ['fs', 'net', 'http', 'https', 'http2', 'tls', 'dgram', 'dns', 'child_process', 'worker_threads']
    .concat(['cluster', 'process', 'os', 'readline', 'repl', 'sqlite', 'tty', 'inspector', 'vm'])
    .concat(['stream', 'timers', 'zlib']),
)
// These only parse addresses; they open nothing.
const pureNames = new Set(['isIP', 'isIPv4', 'isIPv6', 'BlockList', 'SocketAddress'])

export function checkImports(file: SourceFile): Finding[] {
  if (file.path.startsWith('console/')) return checkBrowserImports(file)
  if (!file.path.startsWith('src/')) return []
  const key = roomKey(file.path)
  const room = importTable[key]
  if (room === undefined) {
    const message =
      `${key} is no room of the import table, so nobody has said who may import it. ` +
      'Move the file into a room, or add the room to tools/tidy/import-table.ts.'
    return [{ path: file.path, line: 1, rule, message }]
  }
  return listImports(file).flatMap((use) => {
    const message = use.specifier.startsWith('.')
      ? judgeFile(file.path, key, room, use)
      : judgePackage(key, room, use)
    return message === undefined ? [] : [{ path: file.path, line: use.line, rule, message }]
  })
}

function checkBrowserImports(file: SourceFile): Finding[] {
  return listImports(file).flatMap((use) => {
    const target = resolveImport(file.path, use.specifier)
    const isAllowed =
      !use.specifier.startsWith('.') ||
      target.startsWith('console/') ||
      consoleImports.includes(target) ||
      consoleFolders.some((folder) => target.startsWith(folder))
    if (isAllowed && !use.specifier.startsWith('node:')) return []
    const message =
      `the browser app imports ${use.specifier}, but ${[...consoleImports, ...consoleFolders].join(', ')} are all it may ` +
      'know of the server. Put what it needs into that contract.'
    return [{ path: file.path, line: use.line, rule, message }]
  })
}

function judgeFile(path: string, key: string, room: Room, use: ImportUse): string | undefined {
  const target = resolveImport(path, use.specifier)
  if (!target.startsWith('src/')) return judgeOutside(key, room, target)
  const targetFolder = roomFolder(target)
  const targetKey = roomKey(target)
  if (targetKey === key && key !== roomFolder(path)) return undefined
  if (targetFolder === roomFolder(path) && key === roomFolder(path)) {
    return room.foldersApart ? judgeNeighbour(path, target, room.sharedFolders ?? []) : undefined
  }
  if (room.imports === 'every' || room.imports.includes(targetFolder)) return undefined
  if (room.imports.includes(targetKey)) return undefined
  const allowed = room.imports.length === 0 ? 'nothing of src/' : room.imports.join(', ')
  return (
    `${key} imports ${targetFolder}, but may import only: ${allowed}. Arrows point down so that ` +
    'each room can be read alone. Pass the thing in, or move what is shared to a room above both.'
  )
}

function judgeNeighbour(
  path: string,
  target: string,
  shared: readonly string[],
): string | undefined {
  const [, room, own, ownFile] = path.split('/')
  const [, , other = '', otherFile] = target.split('/')
  // A shared folder may import the room's own files and other shared folders, never a folder that uses it.
  if (shared.includes(other)) return undefined
  const isIndex = ownFile === undefined && own === 'index.ts'
  if (otherFile === undefined || isIndex || (ownFile !== undefined && own === other))
    return undefined
  return (
    `${room}/${own} imports ${room}/${other}. Folders of ${room}/ do not look at each other, so that ` +
    `one can be added or removed alone; only ${room}/index.ts lists them. Move what both need up.`
  )
}

function judgeOutside(key: string, room: Room, target: string): string | undefined {
  if (room.imports === 'every' && target === 'package.json') return undefined
  return (
    `${key} imports ${target}, which is outside src/. The product does not depend on its tests, ` +
    'tools, benchmarks or console. Move what is needed into a room.'
  )
}

function judgePackage(key: string, room: Room, use: ImportUse): string | undefined {
  const { specifier } = use
  const isNode = specifier.startsWith('node:')
  if (room.pure && isNode && doesInputOrOutput(use)) {
    return (
      `${key} imports ${specifier}, but it is a pure room: it touches no file, socket, process or ` +
      'clock, so that its tests need none. Do the input and output in the caller.'
    )
  }
  // Another rule checks the use of Bun.
  if (isNode || specifier === 'bun' || specifier.startsWith('bun:')) return undefined
  if (room.packages === undefined || room.packages.includes(packageName(specifier)))
    return undefined
  const allowed = room.packages.length === 0 ? 'none' : room.packages.join(', ')
  return (
    `${key} imports the package ${specifier}; packages allowed here: ${allowed}. ` +
    'Use it in a room below, behind a small interface.'
  )
}

function doesInputOrOutput({ specifier, names }: ImportUse): boolean {
  const isHarmless = names?.every((name) => pureNames.has(name)) ?? false
  return inputOutputModules.has(specifier.slice(5).split('/')[0] ?? '') && !isHarmless
}

function packageName(specifier: string): string {
  return specifier
    .split('/')
    .slice(0, specifier.startsWith('@') ? 2 : 1)
    .join('/')
}

function resolveImport(path: string, specifier: string): string {
  return posix.join(posix.dirname(path), specifier)
}

/** The first folder under src/, or the file's name for a file directly in src/. */
function roomFolder(path: string): string {
  return path.split('/')[1] ?? ''
}

function roomKey(path: string): string {
  const file = path.slice('src/'.length)
  return [file, posix.dirname(file)].find((key) => key in importTable) ?? roomFolder(path)
}
