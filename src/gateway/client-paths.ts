import type { ProtocolName } from '../core/neutral/protocol-name.ts'
import { protocols } from '../protocols/index.ts'

/** The paths that clients of a protocol call, relative to the gateway's base URL. */
export function clientPathsOf(protocol: ProtocolName) {
  const { basePath, generatePath } = protocols[protocol].clientCalls
  return { base: basePath, ...generatePath }
}
