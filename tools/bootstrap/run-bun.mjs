import { bunPath } from './bun-path.mjs'
import { runChild } from './run-child.mjs'
import { runtimeVariables } from './runtime-variables.mjs'

/**
 * Runs Bun in the foreground and ends this process with Bun's exit code.
 * @param {readonly string[]} bunArguments
 * @param {readonly string[]} [modulesFolders] where to look for Bun
 * @returns {Promise<never>}
 */
export async function runBun(bunArguments, modulesFolders) {
  const env = { ...runtimeVariables, ...process.env }
  const { code } = await runChild(bunPath(modulesFolders), bunArguments, { env })
  process.exit(code)
}
