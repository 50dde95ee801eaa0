import { spawnSync } from 'node:child_process'
import { cpSync } from 'node:fs'
import { dirname, join } from 'node:path'

/**
 * When root runs the server under another account, that account may not have access to the project's folder (a home
 * folder is closed to others). The binaries are then copied beside the data.
 * @param {string} binaries
 * @param {string} folder
 * @param {import('./server-account.mjs').Account} account
 * @returns {string}
 */
export function reachableBinaries(binaries, folder, account) {
  const trial = spawnSync(join(binaries, 'postgres'), ['--version'], { cwd: folder, ...account })
  if (trial.status === 0) return binaries
  const copy = join(folder, 'native')
  cpSync(dirname(binaries), copy, { recursive: true, verbatimSymlinks: true })
  return join(copy, 'bin')
}
