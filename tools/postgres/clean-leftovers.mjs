import { accessSync, constants, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { isMarkAlive } from '../bootstrap/process-mark.mjs'
import { serverFolderName } from './server-folder.mjs'
import { stopServer } from './stop-server.mjs'

/**
 * A killed program could not stop its server, so the next run stops it.
 * @param {string} parent the folder in which the servers have theirs
 */
export async function cleanLeftovers(parent) {
  for (const name of readdirSync(parent)) {
    const owner = serverFolderName.exec(name)?.[1]
    const folder = join(parent, name)
    if (owner === undefined || isMarkAlive(owner) || !mayDelete(folder)) continue
    process.stderr.write(`Stopping the Postgres that an earlier, killed run left in ${folder}\n`)
    await stopServer(folder)
  }
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
