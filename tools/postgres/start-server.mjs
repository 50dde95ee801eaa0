import { randomBytes } from 'node:crypto'
import { appendFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { launchOnFreePort, launchServer } from './launch-server.mjs'
import { quickVerifier } from './quick-verifier.mjs'
import { reachableBinaries } from './reachable-binaries.mjs'
import { runAs } from './run-as.mjs'
import { serverAccount } from './server-account.mjs'
import { makeServerFolder } from './server-folder.mjs'
import { stopServer } from './stop-server.mjs'
import { waitUntilReady } from './wait-until-ready.mjs'

const user = 'tollgate'
const withoutStandby = '\nwal_level = minimal\nmax_wal_senders = 0\n'

/**
 * @typedef {object} TestPostgres
 * @property {string} url
 * @property {string} origin where it came from, for the person who reads the output
 * @property {() => Promise<void>} stop
 */

/**
 * @typedef {object} OwnServer what only the one who started a server knows about it
 * @property {string} folder
 * @property {() => Promise<void>} startAgain after it has ended, on the same data and the same port
 */

/**
 * Creates a new database cluster in a temporary folder and starts it on the loopback address.
 * @param {import('./system-binaries.mjs').PostgresBinaries} binaries
 * @param {{ hasStandby?: boolean, hasQuickSignIn?: boolean }} [options] a server without a standby writes shorter logs; a
 *   quick sign-in sends the password itself, without it the server asks as in production (SCRAM)
 * @returns {Promise<TestPostgres & OwnServer>}
 */
export async function startServer(
  { folder: givenFolder, origin },
  { hasStandby = false, hasQuickSignIn = false } = {},
) {
  const account = serverAccount()
  const folder = makeServerFolder(account)
  const stop = () => stopServer(folder)
  try {
    const binaries = reachableBinaries(givenFolder, folder, account)
    const password = randomBytes(18).toString('hex')
    await initialise(binaries, folder, account, accessBy(password, hasQuickSignIn))
    if (!hasStandby) appendFileSync(join(folder, 'data', 'postgresql.conf'), withoutStandby)
    const port = await launchOnFreePort(binaries, folder, account)
    const url = `postgres://${user}:${password}@127.0.0.1:${port}/postgres`
    const startAgain = () => waitUntilReady(folder, launchServer(binaries, folder, account, port))
    return { url, origin, stop, folder, startAgain }
  } catch (error) {
    await stop()
    throw error
  }
}

/**
 * @param {string} binaries
 * @param {string} folder
 * @param {import('./server-account.mjs').Account} account
 * @param {ReturnType<typeof accessBy>} access
 */
async function initialise(binaries, folder, account, { method, stored }) {
  const passwordPath = join(folder, 'password')
  writeFileSync(passwordPath, stored, { mode: 0o644 })
  const flags = ['--no-sync', '--encoding=UTF8', '--locale=C', `--username=${user}`]
  const access = [`--auth=${method}`, `--pwfile=${passwordPath}`]
  await runAs(join(binaries, 'initdb'), ['-D', join(folder, 'data'), ...flags, ...access], {
    cwd: folder,
    ...account,
  })
  rmSync(passwordPath)
}

/**
 * @param {string} password
 * @param {boolean} isQuick
 */
function accessBy(password, isQuick) {
  return isQuick
    ? { method: 'password', stored: quickVerifier(password) }
    : { method: 'scram-sha-256', stored: password }
}
