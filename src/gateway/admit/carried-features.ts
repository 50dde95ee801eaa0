import type { FeatureName } from '../../core/feature.ts'
import type { ProtocolName } from '../../core/protocol-name.ts'
import { protocols } from '../../protocols/index.ts'

/** Whether an upstream that is spoken to in this protocol would be asked for the feature at all. */
export function isCarried(
  feature: FeatureName,
  client: ProtocolName,
  upstream: ProtocolName,
): boolean {
  const { family, upstreamSide } = protocols[upstream]
  return protocols[client].family === family || upstreamSide.carries.includes(feature)
}
