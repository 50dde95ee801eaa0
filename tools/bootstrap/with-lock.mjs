import {
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { hostname } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { isAlive } from './is-alive.mjs'
import { projectRoot } from './project-root.mjs'
import { stopWith } from './stop-with.mjs'

const heartbeatMs = 2000
// For an owner on another machine, only the heartbeat can be checked. On this machine the processes can be checked; the
// long limit covers a process id that the system has reused.
const staleElsewhereMs = 30_000
const staleHereMs = 600_000
const pollMs = 200

/**
 * Runs `work` while no other launcher of this project runs work under the same name. The lock is a folder, because
 * creating a folder is atomic on every system. A killed owner is recognised by its process ids or, from another machine
 * or container, by a stopped heartbeat.
 * @template T
 * @param {string} name
 * @param {(addHolder: (pid: number) => void) => Promise<T>} work addHolder names a child that goes
 *   on working when this process is killed, so that the lock outlives it
 * @returns {Promise<T>}
 */
export async function withLock(name, work) {
  const folder = join(projectRoot, `.lock-${name}`)
  await takeLock(folder, name)
  const release = () => rmSync(folder, { recursive: true, force: true })
  const heartbeat = setInterval(() => touch(folder), heartbeatMs)
  process.once('exit', release)
  try {
    return await work((pid) => writeOwner(folder, [process.pid, pid]))
  } finally {
    clearInterval(heartbeat)
    process.off('exit', release)
    release()
  }
}

/**
 * @param {string} folder
 * @param {string} name
 */
async function takeLock(folder, name) {
  let told = false
  while (!tryLock(folder)) {
    const owner = readOwner(folder)
    if (isStale(folder, owner)) {
      breakLock(folder, owner)
      continue
    }
    if (!told) process.stderr.write(`Another start is doing the same work (${name}); waiting …\n`)
    told = true
    await sleep(pollMs)
  }
}

/** @param {string} folder */
function tryLock(folder) {
  try {
    mkdirSync(folder)
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'EEXIST') return false
    stopWith(
      `The folder ${projectRoot} must be writable for the set-up, and it is not: ${String(error)}`,
    )
  }
  writeOwner(folder, [process.pid])
  return true
}

/**
 * @param {string} folder
 * @param {readonly number[]} pids
 */
function writeOwner(folder, pids) {
  writeFileSync(join(folder, 'owner'), `${pids.join(',')} ${hostname()}`)
}

/** @param {string} folder */
function readOwner(folder) {
  try {
    return readFileSync(join(folder, 'owner'), 'utf8')
  } catch {
    return ''
  }
}

/**
 * @param {string} folder
 * @param {string} owner
 */
function isStale(folder, owner) {
  const [pids = '', host] = owner.trim().split(' ')
  const isHere = host === hostname()
  if (isHere && !pids.split(',').some((pid) => isAlive(Number(pid)))) return true
  try {
    return Date.now() - statSync(folder).mtimeMs > (isHere ? staleHereMs : staleElsewhereMs)
  } catch {
    return false
  }
}

/**
 * Two waiters may judge the same lock stale. The second one finds a new owner inside and puts the folder back.
 * @param {string} folder
 * @param {string} owner
 */
function breakLock(folder, owner) {
  const aside = `${folder}-${process.pid}`
  try {
    renameSync(folder, aside)
    if (readOwner(aside) === owner) rmSync(aside, { recursive: true, force: true })
    else renameSync(aside, folder)
  } catch {
    // Another waiter was faster. The next iteration sees the new state.
  }
}

/** @param {string} folder */
function touch(folder) {
  try {
    utimesSync(folder, new Date(), new Date())
  } catch {
    // A missing folder only means that the lock is being released.
  }
}
