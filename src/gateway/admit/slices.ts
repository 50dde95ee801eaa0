import { type FeatureRequest, unitOf } from '../../core/money/feature.ts'
import { costOfTokens, priceAt } from '../../core/money/price.ts'
import type { Candidate } from '../../routing/route-set.ts'
import type { Constraint, Exchange } from '../exchange.ts'
import { inputTokensAt } from './bound-input.ts'
import { sliceTokens } from './constraint.ts'

/** The hold is extended before it is used up, so that the answer does not have to wait. */
const extendAt = 0.75
/** When the money is nearly used up, a smaller slice may still fit. */
const pieces = [sliceTokens, 1_024, 256]

/** The money of a stream that was admitted with a hold for only a part of its possible cost. */
export class Slices {
  readonly #exchange: Exchange
  readonly #candidate: Candidate
  /** Features that raise the price of output. Calls are in the hold already. */
  readonly #features: readonly FeatureRequest[] | undefined
  #heldTokens: number
  #isLast = false

  constructor(exchange: Exchange, candidate: Candidate, constraint: Constraint) {
    this.#exchange = exchange
    this.#candidate = candidate
    this.#heldTokens = constraint.tokensMax
    this.#features = exchange.facts.features?.filter(({ feature }) => unitOf(feature) !== 'call')
  }

  /** Whether the delivered tokens come close to the tokens in the hold. */
  isShort(deliveredTokens: number): boolean {
    return deliveredTokens >= this.#heldTokens * (this.#isLast ? 1 : extendAt)
  }

  /** Extends the hold if needed. False when the delivered tokens use up the hold and no more money is available. */
  async cover(deliveredTokens: number): Promise<boolean> {
    if (this.isShort(deliveredTokens) && !this.#isLast) await this.#extend()
    return deliveredTokens < this.#heldTokens
  }

  async #extend(): Promise<void> {
    const { price: listed, group } = this.#candidate
    const price = priceAt(listed, inputTokensAt(this.#exchange.input, this.#candidate))
    for (const tokens of pieces) {
      const moreNano = costOfTokens(price, group.factorMicro, 0, tokens, this.#features)
      if (await this.#exchange.hold.extend(moreNano)) {
        this.#heldTokens += tokens
        return
      }
    }
    this.#isLast = true
  }
}
