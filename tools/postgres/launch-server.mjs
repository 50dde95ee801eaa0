import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { freePort } from '../testing/free-port.mjs'
import { waitUntilReady } from './wait-until-ready.mjs'

const longestSocketFolder = 80
const attemptsMax = 3

/**
 * Another program may take the port between the check and the start. Then the next port is tried.
 * @param {string} binaries
 * @param {string} folder
 * @param {import('./server-account.mjs').Account} account
 * @returns {Promise<number>}
 */
export async function launchOnFreePort(binaries, folder, account) {
  for (let attempt = 1; ; attempt += 1) {
    const port = await freePort()
    try {
      await waitUntilReady(folder, launchServer(binaries, folder, account, port))
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
export function launchServer(binaries, folder, account, port) {
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
    // Nobody reads statistics, and new log files need no zeros.
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
