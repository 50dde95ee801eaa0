import { spawn } from 'node:child_process'

/**
 * Runs a program under another account to its end, and throws its last output when it fails.
 * @param {string} program
 * @param {readonly string[]} programArguments
 * @param {{ cwd: string, uid?: number, gid?: number }} options
 * @returns {Promise<void>}
 */
export function runAs(program, programArguments, options) {
  return new Promise((resolve, reject) => {
    const child = spawn(program, programArguments, {
      ...options,
      stdio: ['ignore', 'ignore', 'pipe'],
    })
    let output = ''
    child.stderr.on('data', (chunk) => {
      output += String(chunk)
    })
    child.once('error', reject)
    child.once('close', (code) => {
      if (code === 0) resolve()
      else reject(new Error(`${program} failed: ${output.trim()}`))
    })
  })
}
