import { bunPath } from './bun-path.mjs'
import { runChild } from './run-child.mjs'

// Bun's own client allows 256 concurrent requests unless this variable is set before it starts, and every open stream
// through a TLS proxy holds one. 65535 is the highest number that Bun accepts.
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
