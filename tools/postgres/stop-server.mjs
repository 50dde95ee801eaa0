import { existsSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { isAlive } from '../bootstrap/is-alive.mjs'

const patienceMs = 5000
const pollMs = 25

/**
 * Stops the server of a folder, if one is running, and deletes the folder.
 * @param {string} folder
 */
export async function stopServer(folder) {
  const pid = serverPid(folder)
  if (pid !== undefined) {
    // SIGINT: end the sessions and stop. SIGQUIT: stop at once. SIGKILL is safe because the data is discarded.
    for (const signal of /** @type {const} */ (['SIGINT', 'SIGQUIT', 'SIGKILL'])) {
      signalServer(pid, signal)
      const deadline = Date.now() + patienceMs
      while (isAlive(pid) && Date.now() < deadline) await sleep(pollMs)
      if (!isAlive(pid)) break
    }
  }
  rmSync(folder, { recursive: true, force: true, maxRetries: 5 })
}

/**
 * The system reuses process ids. The process is the server only if it still runs on this folder.
 * @param {string} folder
 * @returns {number | undefined}
 */
function serverPid(folder) {
  const pidPath = join(folder, 'data', 'postmaster.pid')
  if (!existsSync(pidPath)) return undefined
  const pid = Number(readFileSync(pidPath, 'utf8').split('\n')[0])
  if (!isAlive(pid)) return undefined
  const commandPath = `/proc/${pid}/cmdline`
  const isOurs = !existsSync(commandPath) || readFileSync(commandPath, 'utf8').includes(folder)
  return isOurs ? pid : undefined
}

/**
 * @param {number} pid
 * @param {NodeJS.Signals} signal
 */
function signalServer(pid, signal) {
  try {
    process.kill(pid, signal)
  } catch {
    // The process ended by itself in between.
  }
}
