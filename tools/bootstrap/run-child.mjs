import { spawn } from 'node:child_process'
import { constants } from 'node:os'
import { watchParent } from './watch-parent.mjs'

/** @typedef {{ code: number, isKilled: boolean, output: string }} ChildResult */

/**
 * @typedef {object} ChildOptions
 * @property {NodeJS.ProcessEnv} [env]
 * @property {string} [cwd]
 * @property {boolean} [capture] collect standard output and error, in order, instead of showing them
 * @property {(pid: number) => void} [onStart]
 */

/**
 * Runs a program to its end and outlives it whatever signal arrives.
 *
 * On a terminal Ctrl-C reaches the whole process group, so the child has received the signal already, and a forwarded
 * copy would count as a second Ctrl-C. Without a terminal only this process received the signal, so it is forwarded
 * once.
 * @param {string} program
 * @param {readonly string[]} programArguments
 * @param {ChildOptions} [options]
 * @returns {Promise<ChildResult>} code is 128 + the signal's number when a signal ended the child; a program can also
 *   exit with such a code, as git does with 129, so isKilled says which
 */
export function runChild(program, programArguments, { env, cwd, capture = false, onStart } = {}) {
  return new Promise((resolve, reject) => {
    const child = spawn(program, programArguments, {
      cwd,
      env: env ?? process.env,
      stdio: capture ? ['ignore', 'pipe', 'pipe'] : 'inherit',
    })
    if (child.pid !== undefined) onStart?.(child.pid)
    /** @type {Buffer[]} */
    const chunks = []
    child.stdout?.on('data', (chunk) => chunks.push(chunk))
    child.stderr?.on('data', (chunk) => chunks.push(chunk))

    const releaseSignals = deferSignals((signal) => child.kill(signal))
    child.once('error', (error) => {
      releaseSignals()
      reject(error)
    })
    child.once('close', (code, signal) => {
      releaseSignals()
      const ended = signal === null ? (code ?? 1) : 128 + constants.signals[signal]
      const output = Buffer.concat(chunks).toString('utf8')
      resolve({ code: ended, isKilled: signal !== null, output })
    })
  })
}

/**
 * @param {(signal: NodeJS.Signals) => void} forward
 * @returns {() => void}
 */
function deferSignals(forward) {
  const onTerminal = process.stdin.isTTY || process.stdout.isTTY || process.stderr.isTTY
  /** @type {NodeJS.Signals[]} */
  const signals = ['SIGINT', 'SIGTERM', 'SIGHUP']
  /** @type {Set<NodeJS.Signals>} */
  const forwarded = new Set()
  /** @param {NodeJS.Signals} signal */
  const onSignal = (signal) => {
    if (forwarded.has(signal) || (signal === 'SIGINT' && onTerminal)) return
    forwarded.add(signal)
    forward(signal)
  }
  for (const signal of signals) process.on(signal, onSignal)
  const endWatch = watchParent(() => onSignal('SIGTERM'))
  return () => {
    endWatch()
    for (const signal of signals) process.off(signal, onSignal)
  }
}
