import type { Nano } from '../core/money.ts'
import { costOfTokens } from '../core/price.ts'
import type { RequestFacts } from '../protocols/protocol.ts'
import type { Candidate } from '../routing/route-set.ts'
import { type InputBound, inputTokensAt } from './bound-input.ts'

export interface HoldSize {
  readonly amountNano: Nano
  readonly outputTokensMax: number
}

/**
 * The most that a request can cost at the dearest candidate: all the input that it can be, at the dearest rate, and
 * output bounded by the caller's limit, the model's, and one that the gateway sets itself when money is short.
 * Features add their calls and multiply their tokens.
 */
export function sizeHold(
  input: InputBound,
  facts: RequestFacts,
  candidates: readonly Candidate[],
  tokensMax: number = Number.POSITIVE_INFINITY,
): HoldSize {
  let amountNano = 0n
  let outputTokensMax = 0
  for (const candidate of candidates) {
    const { model, price, group } = candidate
    const limit = Math.min(facts.outputTokensMax ?? model.maxOutputTokens, model.maxOutputTokens)
    const output = Math.min(limit, tokensMax) * facts.answers
    const inputTokens = inputTokensAt(input, candidate)
    const cost = costOfTokens(price, group.factorMicro, inputTokens, output, facts.features)
    if (cost > amountNano) amountNano = cost
    if (output > outputTokensMax) outputTokensMax = output
  }
  return { amountNano, outputTokensMax }
}

/** How many output tokens an answer may have so that the request costs at most this much anywhere. */
export function affordableTokens(
  affordableNano: Nano,
  input: InputBound,
  facts: RequestFacts,
  candidates: readonly Candidate[],
): number {
  let least = 0
  let most = Math.max(...candidates.map(({ model }) => model.maxOutputTokens))
  // Prices may have steps of their own, so the limit is searched for and not computed.
  while (least < most) {
    const middle = Math.ceil((least + most) / 2)
    const { amountNano } = sizeHold(input, facts, candidates, middle)
    if (amountNano <= affordableNano) least = middle
    else most = middle - 1
  }
  return least
}
