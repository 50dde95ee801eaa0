import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { tidyProject } from './tidy.ts'

const root = join(import.meta.dirname, '..', '..')
const folders = ['src', 'console', 'tools', 'test', 'bench', 'docs', 'deploy', '.ci', '.github']
const generated = new Set(['node_modules', 'dist', 'dist.next', 'dist.former', 'fixtures'])
const readable = /(?:\.(?:ts|tsx|mts|js|jsx|mjs|css|html|json|ya?ml|md|sh|toml)|\/run)$/

const paths = [...topFiles(), ...folders.flatMap(listFiles)].sort()
const findings = tidyProject(
  paths.map((path) => ({ path, text: readFileSync(join(root, path), 'utf8') })),
)
for (const { path, line, rule, message } of findings) {
  process.stdout.write(`${path}:${line}  ${rule}\n    ${message}\n`)
}
process.stdout.write(`${paths.length} files read, ${findings.length} findings\n`)
process.exitCode = findings.length === 0 ? 0 : 1

function topFiles(): string[] {
  return readdirSync(root, { withFileTypes: true })
    .filter((entry) => entry.isFile() && readable.test(entry.name))
    .map((entry) => entry.name)
    .filter((name) => name !== 'package-lock.json')
}

function listFiles(folder: string): string[] {
  let entries: ReturnType<typeof readFolder>
  try {
    entries = readFolder(folder)
  } catch {
    return []
  }
  return entries.flatMap((entry) => {
    const path = `${folder}/${entry.name}`
    if (entry.isDirectory()) return generated.has(entry.name) ? [] : listFiles(path)
    return entry.isFile() && readable.test(path) ? [path] : []
  })
}

function readFolder(folder: string) {
  return readdirSync(join(root, folder), { withFileTypes: true })
}
