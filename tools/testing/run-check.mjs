import { projectRoot } from '../bootstrap/project-root.mjs'
import { runChild } from '../bootstrap/run-child.mjs'

/**
 * @typedef {object} StepResult
 * @property {number} passed
 * @property {number} failed
 * @property {number} skipped
 * @property {string} output
 * @property {number} code the program's exit code
 * @property {readonly string[]} [repeat] the command that repeats each test that failed
 */

/**
 * @param {import('./list-checks.mjs').Check} check
 * @returns {Promise<StepResult>} a check counts as one
 */
export async function runCheck({ program, programArguments, env }) {
  const { code, output } = await runChild(program, programArguments, {
    cwd: projectRoot,
    capture: true,
    env: { ...process.env, ...env },
  })
  const isPassed = code === 0
  return { passed: isPassed ? 1 : 0, failed: isPassed ? 0 : 1, skipped: 0, output, code }
}
