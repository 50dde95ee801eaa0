import { npmCommand } from '../bootstrap/npm-command.mjs'
import { runChild } from '../bootstrap/run-child.mjs'
import { stopWith } from '../bootstrap/stop-with.mjs'

/**
 * Runs a program and returns its output. A failure ends the build and prints the output. @param {string} program @param
 * {readonly string[]} programArguments @param {{ cwd?: string, env?: NodeJS.ProcessEnv }} [options]
 */
export async function runTool(program, programArguments, options = {}) {
  const result = await runChild(program, programArguments, { ...options, capture: true })
  if (result.isKilled) process.exit(result.code)
  if (result.code !== 0) {
    process.stderr.write(`${result.output.trimEnd()}\n\n`)
    stopWith(`${program} ${programArguments[0] ?? ''} failed; the reason is above.`)
  }
  return result.output
}

/**
 * @param {readonly string[]} npmArguments
 * @param {{ cwd?: string, env?: NodeJS.ProcessEnv }} [options]
 */
export function runNpm(npmArguments, options) {
  const { program, leadingArguments } = npmCommand()
  return runTool(program, [...leadingArguments, ...npmArguments], options)
}
