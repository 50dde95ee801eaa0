import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'

const patienceMs = 30_000
const pollMs = 25
const statusLine = 7

/**
 * Postgres writes its state into the eighth line of its pid file.
 * @param {string} folder
 * @param {import('node:child_process').ChildProcess} server
 */
export async function waitUntilReady(folder, server) {
  const deadline = Date.now() + patienceMs
  while (Date.now() < deadline && server.exitCode === null && server.pid !== undefined) {
    const status = readLines(join(folder, 'data', 'postmaster.pid'))[statusLine]?.trim()
    if (status === 'ready' || status === 'standby') return
    await sleep(pollMs)
  }
  const log = readLines(join(folder, 'server.log')).slice(-5).join(' ').trim()
  throw new Error(`the server did not get ready: ${log || 'it wrote no log'}`)
}

/** @param {string} path */
function readLines(path) {
  return existsSync(path) ? readFileSync(path, 'utf8').split('\n') : []
}
