import { spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { freePort } from './free-port.mjs'
import { reachableBinaries } from './reachable-binaries.mjs'
import { runAs } from './run-as.mjs'
import { serverAccount } from './server-account.mjs'
import { makeServerFolder } from './server-folder.mjs'
import { stopServer } from './stop-server.mjs'
import { waitUntilReady } from './wait-until-ready.mjs'

const user = 'tollgate'
const longestSocketFolder = 80
const attemptsMax = 3

/**
 * @typedef {object} OwnServer what only the one who started a server knows about it
 * @property {string} folder
 * @property {() => Promise<void>} startAgain after it has ended, on the same data and the same port
 */

/**
 * Creates a new database cluster in a temporary folder and starts it on the loopback address.
 * @param {import('./system-binaries.mjs').PostgresBinaries} binaries
 * @returns {Promise<import('./obtain-postgres.mjs').TestPostgres & OwnServer>}
 */
export async function startServer({ folder: givenFolder, origin }) {
  const account = serverAccount()
  const folder = makeServerFolder(account)
  const stop = () => stopServer(folder)
  try {
    const binaries = reachableBinaries(givenFolder, folder, account)
    const password = randomBytes(18).toString('hex')
    await initialise(binaries, folder, account, password)
    const port = await launchOnFreePort(binaries, folder, account)
    const url = `postgres://${user}:${password}@127.0.0.1:${port}/postgres`
    const startAgain = () => waitUntilReady(folder, launch(binaries, folder, account, port))
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
 * @param {string} password
 */
async function initialise(binaries, folder, account, password) {
  const passwordPath = join(folder, 'password')
  writeFileSync(passwordPath, password, { mode: 0o644 })
  const flags = ['--no-sync', '--encoding=UTF8', '--locale=C', `--username=${user}`]
  const access = ['--auth=scram-sha-256', `--pwfile=${passwordPath}`]
  await runAs(join(binaries, 'initdb'), ['-D', join(folder, 'data'), ...flags, ...access], {
    cwd: folder,
    ...account,
  })
  rmSync(passwordPath)
}

/**
 * Another program may take the port between the check and the start. Then the next port is tried.
 * @param {string} binaries
 * @param {string} folder
 * @param {import('./server-account.mjs').Account} account
 * @returns {Promise<number>}
 */
async function launchOnFreePort(binaries, folder, account) {
  for (let attempt = 1; ; attempt += 1) {
    const port = await freePort()
    try {
      await waitUntilReady(folder, launch(binaries, folder, account, port))
      return port
    } catch (error) {
      if (attempt === attemptsMax) throw error
    }
  }
}

/**
 * The server gets its own process group: Ctrl-C must reach the tests first, because they still clean up in the
 * database.
 * @param {string} binaries
 * @param {string} folder
 * @param {import('./server-account.mjs').Account} account
 * @param {number} port
 * @returns {import('node:child_process').ChildProcess}
 */
function launch(binaries, folder, account, port) {
  const socketFolder = folder.length <= longestSocketFolder ? folder : ''
  const settings = [
    'listen_addresses=127.0.0.1',
    `unix_socket_directories=${socketFolder}`,
    'max_connections=200',
    'shared_buffers=64MB',
    // The data is needed only for the test run, so a power failure may destroy it.
    'fsync=off',
    'full_page_writes=off',
    // Databases are too short-lived for vacuum, and statements are too short for JIT compilation.
    'autovacuum=off',
    'jit=off',
    'max_wal_size=4GB',
    // There is no replica, nobody reads statistics, and new log files need no zeros.
    'wal_level=minimal',
    'max_wal_senders=0',
    'wal_init_zero=off',
    'track_counts=off',
    'checkpoint_timeout=1h',
    'logging_collector=on',
    `log_directory=${folder}`,
    'log_filename=server.log',
  ]
  const serverArguments = ['-D', join(folder, 'data'), '-p', String(port)]
  const server = spawn(
    join(binaries, 'postgres'),
    [...serverArguments, ...settings.flatMap((setting) => ['-c', setting])],
    { cwd: folder, detached: true, stdio: 'ignore', ...account },
  )
  // If the server cannot start, waitUntilReady reports the log.
  server.on('error', () => {})
  server.unref()
  return server
}
