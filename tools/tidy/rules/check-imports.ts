import { posix } from 'node:path'
import type { Finding } from '../finding.ts'
import type { ModuleRule } from '../import-table.ts'
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
  const key = moduleKey(file.path)
  const module = importTable[key]
  if (module === undefined) {
    const message =
      `${key} is not a module of the import table, so no rule says who may import it. ` +
      'Move the file into a module, or add the module to tools/tidy/import-table.ts.'
    return [{ path: file.path, line: 1, rule, message }]
  }
  return listImports(file).flatMap((use) => {
    const message = use.specifier.startsWith('.')
      ? judgeFile(file.path, key, module, use)
      : judgePackage(key, module, use)
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
      `the browser app imports ${use.specifier}, but may import only ${[...consoleImports, ...consoleFolders].join(', ')} ` +
      'from the server. Add what the browser needs to that contract.'
    return [{ path: file.path, line: use.line, rule, message }]
  })
}

function judgeFile(
  path: string,
  key: string,
  module: ModuleRule,
  use: ImportUse,
): string | undefined {
  const target = resolveImport(path, use.specifier)
  if (!target.startsWith('src/')) return judgeOutside(key, module, target)
  const targetFolder = moduleFolder(target)
  const targetKey = moduleKey(target)
  if (targetKey === key && key !== moduleFolder(path)) return undefined
  if (targetFolder === moduleFolder(path) && key === moduleFolder(path)) {
    return module.foldersApart
      ? judgeNeighbour(path, target, module.sharedFolders ?? [])
      : undefined
  }
  if (module.imports === 'every' || module.imports.includes(targetFolder)) return undefined
  if (module.imports.includes(targetKey)) return undefined
  const allowed = module.imports.length === 0 ? 'nothing of src/' : module.imports.join(', ')
  return (
    `${key} imports ${targetFolder}, but may import only: ${allowed}. Imports go in one direction, so that ` +
    'each module can be read alone. Pass the value in, or move the shared code to a module that both may import.'
  )
}

function judgeNeighbour(
  path: string,
  target: string,
  shared: readonly string[],
): string | undefined {
  const [, module, own, ownFile] = path.split('/')
  const [, , other = '', otherFile] = target.split('/')
  // A shared folder may import the module's own files and other shared folders, never a folder that uses it.
  if (shared.includes(other)) return undefined
  const isIndex = ownFile === undefined && own === 'index.ts'
  if (otherFile === undefined || isIndex || (ownFile !== undefined && own === other))
    return undefined
  return (
    `${module}/${own} imports ${module}/${other}. Folders of ${module}/ do not import each other, so that ` +
    `one can be added or removed alone; only ${module}/index.ts lists them. Move the shared code to ${module}/.`
  )
}

function judgeOutside(key: string, module: ModuleRule, target: string): string | undefined {
  if (module.imports === 'every' && target === 'package.json') return undefined
  return (
    `${key} imports ${target}, which is outside src/. The product does not depend on its tests, ` +
    'tools, benchmarks or console. Move the needed code into a module.'
  )
}

function judgePackage(key: string, module: ModuleRule, use: ImportUse): string | undefined {
  const { specifier } = use
  const isNode = specifier.startsWith('node:')
  if (module.pure && isNode && doesInputOrOutput(use)) {
    return (
      `${key} imports ${specifier}, but it is a pure module: it uses no file, socket, process or ` +
      'clock, so that its tests need none. Do the input and output in the caller.'
    )
  }
  // Another rule checks the use of Bun.
  if (isNode || specifier === 'bun' || specifier.startsWith('bun:')) return undefined
  if (module.packages === undefined || module.packages.includes(packageName(specifier)))
    return undefined
  const allowed = module.packages.length === 0 ? 'none' : module.packages.join(', ')
  return (
    `${key} imports the package ${specifier}; packages allowed here: ${allowed}. ` +
    'Use it in another module, behind a small interface.'
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
function moduleFolder(path: string): string {
  return path.split('/')[1] ?? ''
}

/** The file itself or the nearest folder around it that has a rule, or else the first folder under src/. */
function moduleKey(path: string): string {
  let key = path.slice('src/'.length)
  while (key.includes('/') && !(key in importTable)) key = posix.dirname(key)
  return key
}
