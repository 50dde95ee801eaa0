import { type FeatureName, type FeatureWish, unitOf } from '../../core/feature.ts'
import type { TokenUsage } from '../../core/usage.ts'
import type { ReplyReading, RequestFacts } from '../../protocols/protocol.ts'
import type { UsageVerdict } from './judge-usage.ts'

/** More calls than this in one reply are not believed. */
const callsMax = 1_000

/** The usage of a request that asked for features, with what it used of them. */
export function withFeatures(
  { usage, source }: Pick<UsageVerdict, 'usage' | 'source'>,
  reading: ReplyReading,
  { features: wishes }: RequestFacts,
): TokenUsage {
  if (wishes === undefined) return usage
  const features: Partial<Record<FeatureName, number>> = { ...(reading.features ?? asked(wishes)) }
  for (const { feature } of wishes) {
    const unit = unitOf(feature)
    const count = features[feature]
    if (unit === 'call' && count !== undefined) features[feature] = Math.min(count, callsMax)
    // Tokens that are only estimated are taken for the kind that was asked for.
    if (unit === 'tokens' && source === 'estimated') {
      features[feature] = feature === 'audioInput' ? usage.input : usage.output
    }
  }
  return { ...usage, features }
}

/** Of a reply that never came: tokens are charged as they were asked for. */
function asked(wishes: readonly FeatureWish[]): Partial<Record<FeatureName, number>> {
  const factors = wishes.filter(({ feature }) => unitOf(feature) === 'factor')
  return Object.fromEntries(factors.map(({ feature }) => [feature, 1]))
}
