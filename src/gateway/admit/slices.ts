import type { CutReason } from '../../core/codes.ts'
import { type FeatureRequest, unitOf } from '../../core/money/feature.ts'
import { costOfTokens, priceAt } from '../../core/money/price.ts'
import type { Shortage } from '../../ledger/ledger.ts'
import type { Candidate } from '../../routing/route-set.ts'
import type { Constraint, Exchange } from '../exchange.ts'
import { inputTokensAt } from './bound-input.ts'
import { sliceTokens } from './constraint.ts'

/** The hold is extended before it is used up, so that the answer does not have to wait. */
const extendAt = 0.75
/** When the money is nearly used up, a smaller slice may still fit. */
const pieces = [sliceTokens, 1_024, 256]

const cutReasonOf: Readonly<Record<Shortage, CutReason>> = {
  insufficient_credit: 'credit_cut',
  key_quota_exhausted: 'key_quota_cut',
  member_budget_exhausted: 'member_budget_cut',
  account_budget_exhausted: 'account_budget_cut',
  quota_in_flight: 'quota_cut',
}

/** The money of a stream that was admitted with a hold for only a part of its possible cost. */
export class Slices {
  readonly #exchange: Exchange
  readonly #candidate: Candidate
  /** Features that raise the price of output. Calls are in the hold already. */
  readonly #features: readonly FeatureRequest[] | undefined
  #heldTokens: number
  #isLast = false
  /** Why the last slice is the last one. */
  #cutReason: Promise<CutReason> | undefined

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

  /** The reason for the usage row of a stream that the money did not cover. */
  cutReason(): Promise<CutReason> {
    return this.#cutReason ?? Promise.resolve('quota_cut')
  }

  async #extend(): Promise<void> {
    const { hold, input } = this.#exchange
    const { price: listed, group } = this.#candidate
    const price = priceAt(listed, inputTokensAt(input, this.#candidate))
    let moreNano = 0n
    for (const tokens of pieces) {
      moreNano = costOfTokens(price, group.factorMicro, 0, tokens, this.#features)
      if (await hold.extend(moreNano)) {
        this.#heldTokens += tokens
        return
      }
    }
    this.#isLast = true
    // The answer goes on with the rest of its hold, and does not wait for the reason.
    this.#cutReason = hold.explainShortage(hold.grantedNano + moreNano).then(
      ({ reason }) => cutReasonOf[reason],
      () => 'quota_cut',
    )
  }
}
