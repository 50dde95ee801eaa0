import type { FeatureName, FeatureRequest, FeatureUses } from '../../core/money/feature.ts'
import type { JsonObject } from '../../wire/json.ts'
import type { ReplyTraits } from '../reply-traits.ts'
import { tierFeatures } from './feature-requests.ts'

/** Counts the billed features beyond plain tokens that the upstream's reply reports. */
export interface FeatureMeter {
  /** One event of a stream, or a whole reply. */
  note(reply: JsonObject): void
  uses(): FeatureUses
  /** The ids of the objects that the reply created in the upstream's account. */
  objects(): readonly string[]
}

export interface MeterParams {
  readonly requested: readonly FeatureRequest[]
  /** The upstream got the client's own bytes, so it serves the requested features unless it reports otherwise. */
  readonly isForwarded: boolean
  /** The fields of the upstream's replies that go beyond the protocol. */
  readonly replies: ReplyTraits
}

/** Price factors that an upstream of the client's own protocol applies unless it reports otherwise. */
const factors: readonly FeatureName[] = [...tierFeatures, 'regionalInference']

/** Counts the requested features. A vendor does not bill a feature that the request did not ask for. */
export class FeatureCounts {
  readonly #requested: ReadonlySet<FeatureName>
  readonly #counts = new Map<FeatureName, number>()

  constructor({ requested, isForwarded }: MeterParams) {
    this.#requested = new Set(requested.map(({ feature }) => feature))
    if (!isForwarded) return
    for (const feature of factors) this.set(feature, 1)
  }

  /** The last reported count replaces earlier ones. */
  set(feature: FeatureName, count: number | undefined): void {
    if (count !== undefined && this.#requested.has(feature)) this.#counts.set(feature, count)
  }

  add(feature: FeatureName): void {
    this.set(feature, (this.#counts.get(feature) ?? 0) + 1)
  }

  atLeastOne(feature: FeatureName): void {
    if ((this.#counts.get(feature) ?? 0) === 0) this.set(feature, 1)
  }

  /** Records the service tier that the upstream reports; undefined is the standard tier. */
  serve(tier: FeatureName | undefined): void {
    for (const feature of tierFeatures) this.set(feature, feature === tier ? 1 : 0)
  }

  /** The requested features that were used. */
  uses(): FeatureUses {
    const uses: Partial<Record<FeatureName, number>> = {}
    for (const [feature, count] of this.#counts) if (count > 0) uses[feature] = count
    return uses
  }
}
