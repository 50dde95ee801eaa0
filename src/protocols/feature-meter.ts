import type { FeatureName, FeatureRequest, FeatureUses } from '../core/feature.ts'
import type { JsonObject } from '../wire/json.ts'
import { tierFeatures } from './feature-requests.ts'
import type { ReplyTraits } from './reply-traits.ts'

/** Counts what a reply used beyond plain tokens, out of the upstream's own words. */
export interface FeatureMeter {
  /** One event of a stream, or a whole reply. */
  note(reply: JsonObject): void
  uses(): FeatureUses
  /** The ids of what the reply has made in the upstream's account. */
  objects(): readonly string[]
}

export interface MeterQuestion {
  readonly requested: readonly FeatureRequest[]
  /** The upstream got the caller's own words: it serves what was asked for unless it says otherwise. */
  readonly isForwarded: boolean
  /** What the upstream's replies have beyond the protocol. */
  readonly replies: ReplyTraits
}

/** Factors that an upstream of the caller's own protocol has applied unless it says otherwise. */
const factors: readonly FeatureName[] = [...tierFeatures, 'regionalInference']

/** Counts of the features that were asked for; a vendor does not bill what nobody has asked for. */
export class FeatureCounts {
  readonly #wished: ReadonlySet<FeatureName>
  readonly #counts = new Map<FeatureName, number>()

  constructor({ requested, isForwarded }: MeterQuestion) {
    this.#wished = new Set(requested.map(({ feature }) => feature))
    if (!isForwarded) return
    for (const feature of factors) this.set(feature, 1)
  }

  /** The last count that is told holds. */
  set(feature: FeatureName, count: number | undefined): void {
    if (count !== undefined && this.#wished.has(feature)) this.#counts.set(feature, count)
  }

  add(feature: FeatureName): void {
    this.set(feature, (this.#counts.get(feature) ?? 0) + 1)
  }

  atLeastOne(feature: FeatureName): void {
    if ((this.#counts.get(feature) ?? 0) === 0) this.set(feature, 1)
  }

  /** The upstream tells which of its tiers has served; undefined is the plain one. */
  serve(tier: FeatureName | undefined): void {
    for (const feature of tierFeatures) this.set(feature, feature === tier ? 1 : 0)
  }

  /** Of the features that were asked for those that were used. */
  uses(): FeatureUses {
    const uses: Partial<Record<FeatureName, number>> = {}
    for (const [feature, count] of this.#counts) if (count > 0) uses[feature] = count
    return uses
  }
}
