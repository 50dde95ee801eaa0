import { accessSync, constants, existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { isAlive } from '../bootstrap/is-alive.mjs'
import { serverFolderName } from './server-folder.mjs'
import { stopServer } from './stop-server.mjs'

/**
 * A killed test run could not stop its server, so the next run stops it.
 * @param {string} parent the folder in which the servers have theirs
 */
export async function cleanLeftovers(parent) {
  for (const name of readdirSync(parent)) {
    const pid = Number(serverFolderName.exec(name)?.[1] ?? Number.NaN)
    const folder = join(parent, name)
    if (Number.isNaN(pid) || isTestRun(pid) || !mayDelete(folder)) continue
    process.stderr.write(
      `Stopping the Postgres that an earlier, killed test run left in ${folder}\n`,
    )
    await stopServer(folder)
  }
}

/** @param {number} pid */
export function isTestRun(pid) {
  if (!isAlive(pid)) return false
  const commandPath = `/proc/${pid}/cmdline`
  return !existsSync(commandPath) || /\b(?:test|chaos)\b/.test(readFileSync(commandPath, 'utf8'))
}

/** @param {string} folder */
function mayDelete(folder) {
  try {
    accessSync(folder, constants.R_OK | constants.W_OK | constants.X_OK)
    return true
  } catch {
    return false
  }
}
