import type { FeatureName } from '../../core/money/feature.ts'
import type { ProtocolName } from '../../core/neutral/protocol-name.ts'
import { protocols } from '../../protocols/index.ts'

/** Whether a request in the client's protocol still asks for the feature when it is sent in the upstream's protocol. */
export function isCarried(
  feature: FeatureName,
  client: ProtocolName,
  upstream: ProtocolName,
): boolean {
  const { family, upstreamSide } = protocols[upstream]
  return protocols[client].family === family || upstreamSide.carries.includes(feature)
}
