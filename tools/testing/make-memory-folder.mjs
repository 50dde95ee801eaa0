import { spawnSync } from 'node:child_process'
import {
  chmodSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statfsSync,
  statSync,
} from 'node:fs'
import { freemem } from 'node:os'
import { join } from 'node:path'
import { isMarkAlive, ownMark, processMark } from '../bootstrap/process-mark.mjs'
import { cleanLeftovers } from '../postgres/clean-leftovers.mjs'

const parent = '/dev/shm'
const prefix = 'tollgate-test-run'
/** The name contains the mark of the owner, so that a later run can recognise leftovers. */
const folderName = new RegExp(String.raw`^${prefix}-${processMark}-\w+$`)
const gibibyte = 1024 ** 3
/** A whole run has about 1 GiB of files at a time: databases, copies of the gateway, profiles of browsers. */
const spaceBytesLeast = 4 * gibibyte
/** The programs of a whole run need up to 8 GiB. */
const memoryBytesLeast = 12 * gibibyte

/**
 * A folder in memory for the temporary files of a test run. Tests create and delete thousands of small files, which
 * takes a disk's file system up to a tenth of the processor time (decision 35).
 * @returns {Promise<string | undefined>} undefined where the system has no such place or too little memory, and where
 *   TMPDIR names a folder already
 */
export async function makeMemoryFolder() {
  if (process.platform !== 'linux' || process.env['TMPDIR'] || !isSuitable()) return undefined
  await removeLeftovers()
  const folder = mkdtempSync(join(parent, `${prefix}-${ownMark()}-`))
  // Postgres does not run as root, so another account must be able to enter.
  chmodSync(folder, 0o711)
  return folder
}

/** @param {string} folder */
export function removeMemoryFolder(folder) {
  try {
    // A test that could not end leaves its small disk mounted.
    for (const place of mountsIn(folder)) spawnSync('umount', ['-l', place])
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 })
  } catch (error) {
    process.stderr.write(`${folder} could not be deleted: ${String(error)}\n`)
  }
}

/**
 * @param {string} folder
 * @returns {string[]}
 */
function mountsIn(folder) {
  const places = readFileSync('/proc/self/mounts', 'utf8').matchAll(/^\S+ (\S+) /gm)
  return [...places].flatMap(([, place = '']) => (place.startsWith(`${folder}/`) ? [place] : []))
}

/** Tests run programs from their folders, which some systems forbid there. */
function isSuitable() {
  try {
    const mount = readFileSync('/proc/self/mounts', 'utf8')
      .split('\n')
      .map((line) => line.split(' '))
      .findLast(([, place]) => place === parent)
    const [, , kind, options = ''] = mount ?? []
    if (kind !== 'tmpfs' || options.split(',').includes('noexec')) return false
    const { bavail, bsize } = statfsSync(parent)
    const memoryBytes = process.availableMemory?.() ?? freemem()
    return bavail * bsize >= spaceBytesLeast && memoryBytes >= memoryBytesLeast
  } catch {
    return false
  }
}

/** A killed test run could not delete its folder, so the next run does it. */
async function removeLeftovers() {
  for (const name of readdirSync(parent)) {
    const owner = folderName.exec(name)?.[1]
    if (owner === undefined || isMarkAlive(owner)) continue
    const folder = join(parent, name)
    if (statSync(folder).uid !== process.getuid?.()) continue
    await cleanLeftovers(folder)
    removeMemoryFolder(folder)
  }
}
