import { configFileSetting, settings } from '../../../src/config/settings.ts'
import type { Finding } from '../finding.ts'
import type { ProjectFile, SourceFile } from '../source-file.ts'

/** Names from other projects that do not exist here. */
const foreign = [
  'LiteLLM',
  'OpenAPI',
  'WebP',
  'sockaddr',
  'TimeoutStopSec',
  'pg_dump',
  'unnest',
].concat(['terminationGracePeriodSeconds', 'Via', 'calls_limited_to_N'])
/** Derived from the names of settings, so these names occur nowhere in the sources. */
const variables = Object.values(settings)
  .map(({ variable }) => variable)
  .concat(configFileSetting.variable)
/** A file that the reader creates, and the files of each folder in test/golden. */
const foreignFiles = new Set(['tollgate.yaml', 'request.json', 'reply.json'])

/** Historical documents keep old names, and protocol documents use the names of other protocols. */
const history = /^CHANGELOG\.md$|^docs\/(?:decisions|protocols)\//
const word = /[A-Za-z_$][\w$]*/g
const quoted = /`([^`\n]+)`/g
const dottedName = /^[A-Za-z_$][\w$]*(?:\.[A-Za-z_$][\w$]*)*(?:\(\))?$/
const fileName = /(?<![\w./`{}*<-])[\w-]+(?:\/[\w.-]+)*\.(?:ts|tsx|mjs|md|ya?ml|json)(?![\w/])/g
const quotedFile = /^[\w.-]+(?:\/[\w.-]+)*\.(?:ts|tsx|mjs|md|ya?ml|json)$/
/** A path from the project's root, with or without quotes. */
const pathFromRoot = /(?<![\w./{}*<>~@-])(?:src|test|tools|bench|console\/src)\/[\w./-]*/g
const styleComment = /\/\*[\s\S]*?\*\//g
const innerCapital = /(?<![\w./`'"-])[A-Za-z]+[a-z][A-Z]\w*/g

interface Prose {
  readonly path: string
  readonly line: number
  readonly text: string
}

/** Comments and documents name only files and names that exist: a dead name misleads the reader. */
export function checkNames(
  files: readonly ProjectFile[],
  sources: ReadonlyMap<string, SourceFile>,
): Finding[] {
  const known = new Set([...foreign, ...variables])
  const prose: Prose[] = []
  for (const { path, text } of files) {
    const source = sources.get(path)
    if (source !== undefined) readSource(source, known, prose)
    else if (path.endsWith('.css')) readStyles(path, text, known, prose)
    else if (!path.endsWith('.md')) for (const [name] of text.matchAll(word)) known.add(name)
    else if (!history.test(path)) prose.push(...linesOf(path, text))
  }
  const paths = new Set([...foreignFiles, ...files.flatMap(({ path }) => endingsOf(path))])
  const folders = new Set(files.flatMap(({ path }) => foldersOf(path)))
  return prose.flatMap(({ path, line, text }) => {
    const dead = [
      ...findDead({ path, line, text }, known, paths),
      ...findDeadPaths(text, paths, folders),
    ]
    return [...new Set(dead)].map((name) => {
      const message = `“${name}” does not exist in this project. Use the current name, or remove it.`
      return { path, line, rule: 'dead-name', message }
    })
  })
}

function readStyles(path: string, text: string, known: Set<string>, prose: Prose[]): void {
  for (const [name] of text.replace(styleComment, '').matchAll(word)) known.add(name)
  for (const { 0: comment, index } of text.matchAll(styleComment)) {
    prose.push({ path, line: text.slice(0, index).split('\n').length, text: comment })
  }
}

function readSource(source: SourceFile, known: Set<string>, prose: Prose[]): void {
  let at = 0
  const readCode = (end: number): void => {
    for (const [name] of source.text.slice(at, end).matchAll(word)) known.add(name)
  }
  for (const { start, end } of source.comments) {
    readCode(start)
    at = end
    const comment = source.text.slice(start, end)
    // JavaScript declares a type in a comment.
    for (const [, name = ''] of comment.matchAll(/@typedef \{.*\} (\w+)/g)) known.add(name)
    prose.push({ path: source.path, line: source.lineAt(start), text: comment })
  }
  readCode(source.text.length)
}

function linesOf(path: string, text: string): Prose[] {
  return text.split('\n').map((line, index) => ({ path, line: index + 1, text: line }))
}

/** A file may be named by its path or by the end of its path. */
function endingsOf(path: string): string[] {
  const parts = path.split('/')
  return parts.map((_, index) => parts.slice(index).join('/'))
}

function foldersOf(path: string): string[] {
  const parts = path.split('/')
  return parts.slice(1).map((_, index) => parts.slice(0, index + 1).join('/'))
}

/** Paths of folders, and paths without quotes in documents. A file without an ending is a folder or a program. */
function findDeadPaths(
  text: string,
  paths: ReadonlySet<string>,
  folders: ReadonlySet<string>,
): string[] {
  return [...text.matchAll(pathFromRoot)]
    .map(([found]) => found.replace(/[./-]+$/, ''))
    .filter((named) => /^[^.]+$|\.(?:tsx?|mjs)$/.test(named))
    .filter((named) => !paths.has(named) && !folders.has(named))
}

function findDead(prose: Prose, known: ReadonlySet<string>, paths: ReadonlySet<string>): string[] {
  const dead: string[] = []
  for (const [, name = ''] of prose.text.matchAll(quoted)) {
    if (quotedFile.test(name)) {
      if (!paths.has(name)) dead.push(name)
    } else if (dottedName.test(name)) {
      if (!(name.match(word) ?? []).every((part) => known.has(part))) dead.push(name)
    }
  }
  if (!prose.path.endsWith('.md')) {
    for (const [name] of prose.text.matchAll(fileName)) if (!paths.has(name)) dead.push(name)
    for (const [name] of prose.text.matchAll(innerCapital)) if (!known.has(name)) dead.push(name)
  }
  return dead
}
