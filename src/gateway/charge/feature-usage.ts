import { type FeatureName, type FeatureRequest, unitOf } from '../../core/money/feature.ts'
import type { TokenUsage } from '../../core/money/usage.ts'
import type { ReplyReading } from '../../protocols/protocol.ts'
import type { RequestFacts } from '../../protocols/request-facts.ts'
import type { UsageVerdict } from './judge-usage.ts'

/** A report of more calls than this in one reply is not trusted. */
const callsMax = 1_000

/** The usage of a request with features, including the features that it used. */
export function withFeatures(
  { usage, source }: Pick<UsageVerdict, 'usage' | 'source'>,
  reading: ReplyReading,
  { features: requested }: RequestFacts,
): TokenUsage {
  if (requested === undefined) return usage
  const features: Partial<Record<FeatureName, number>> = {
    ...(reading.features ?? asked(requested)),
  }
  for (const { feature } of requested) {
    const unit = unitOf(feature)
    const count = features[feature]
    if (unit === 'call' && count !== undefined) features[feature] = Math.min(count, callsMax)
    // Estimated tokens count as the kind that was requested.
    if (unit === 'tokens' && source === 'estimated') {
      features[feature] = feature === 'audioInput' ? usage.input : usage.output
    }
  }
  return { ...usage, features }
}

/** For a reply that never arrived: factors apply as requested. */
function asked(requested: readonly FeatureRequest[]): Partial<Record<FeatureName, number>> {
  const factors = requested.filter(({ feature }) => unitOf(feature) === 'factor')
  return Object.fromEntries(factors.map(({ feature }) => [feature, 1]))
}
