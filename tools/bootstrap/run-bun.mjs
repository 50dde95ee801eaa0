import { bunPath } from './bun-path.mjs'
import { runChild } from './run-child.mjs'

// Bun allows 256 outgoing requests at a time unless told otherwise before it starts, and a gateway
// holds one for every open stream. 65535 is the highest number it accepts.
const mostOutgoingRequests = '65535'

/**
 * Runs Bun in the foreground and ends this process with Bun's exit code.
 * @param {readonly string[]} bunArguments
 * @returns {Promise<never>}
 */
export async function runBun(bunArguments) {
  const env = { BUN_CONFIG_MAX_HTTP_REQUESTS: mostOutgoingRequests, ...process.env }
  const { code } = await runChild(bunPath(), bunArguments, { env })
  process.exit(code)
}
