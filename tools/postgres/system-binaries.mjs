import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'

const debianFolder = '/usr/lib/postgresql'

/** @typedef {{ folder: string, origin: string }} PostgresBinaries */

/**
 * The newest Postgres from Debian's packages on this machine.
 * @returns {PostgresBinaries | undefined}
 */
export function systemBinaries() {
  if (!existsSync(debianFolder)) return undefined
  const versions = readdirSync(debianFolder).sort((one, other) => Number(other) - Number(one))
  const version = versions.find((name) => existsSync(join(debianFolder, name, 'bin', 'initdb')))
  if (version === undefined) return undefined
  return { folder: join(debianFolder, version, 'bin'), origin: `Debian's Postgres ${version}` }
}
