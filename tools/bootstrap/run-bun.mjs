import { bunPath } from './bun-path.mjs'
import { runChild } from './run-child.mjs'
import { runtimeVariables } from './runtime-variables.mjs'

/**
 * Runs Bun in the foreground and ends this process with Bun's exit code.
 * @param {readonly string[]} bunArguments
 * @returns {Promise<never>}
 */
export async function runBun(bunArguments) {
  const env = { ...runtimeVariables, ...process.env }
  const { code } = await runChild(bunPath(), bunArguments, { env })
  process.exit(code)
}
