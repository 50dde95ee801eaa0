import { readFileSync } from 'node:fs'
import { isAlive } from './is-alive.mjs'

/** A mark within the name of a file or folder, as a group. */
export const processMark = String.raw`(\d+-\d+)`

/** Position of the start among the fields of `/proc/PID/stat` that follow the name of the program. */
const startField = 19

/**
 * The id and the start of this process, for names of what it owns: the system gives the id to another process later.
 * @returns {string}
 */
export function ownMark() {
  return `${process.pid}-${startOf(process.pid)}`
}

/**
 * @param {string} mark
 * @returns {boolean} whether the process runs
 */
export function isMarkAlive(mark) {
  const [pid = '', start] = mark.split('-')
  return isAlive(Number(pid)) && startOf(Number(pid)) === start
}

/**
 * In clock ticks since the start of the system. 0 where the system does not tell, and for a process that has ended and
 * is only listed until its parent asks for its result.
 * @param {number} pid
 * @returns {string}
 */
function startOf(pid) {
  try {
    const line = readFileSync(`/proc/${pid}/stat`, 'utf8')
    const fields = line.slice(line.lastIndexOf(')') + 2).split(' ')
    return fields[0] === 'Z' ? '0' : (fields[startField] ?? '0')
  } catch {
    return '0'
  }
}
