import { bunPath } from './bun-path.mjs'
import { runChild } from './run-child.mjs'

// Bun's own client allows 256 requests at a time unless told otherwise before it starts, and one is held for every open
// stream through a proxy that is spoken to over TLS. 65535 is the highest number it accepts.
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
