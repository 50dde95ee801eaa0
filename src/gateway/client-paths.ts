import type { ProtocolName } from '../core/protocol-name.ts'
import { protocols } from '../protocols/index.ts'

/** Where the clients of a protocol call, below the address of the gateway. */
export function clientPathsOf(protocol: ProtocolName) {
  const { basePath, generatePath } = protocols[protocol].clientCalls
  return { base: basePath, ...generatePath }
}
