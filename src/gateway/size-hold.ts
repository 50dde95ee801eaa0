import type { Nano } from '../core/money.ts'
import { costOfTokens } from '../core/price.ts'
import type { RequestFacts } from '../protocols/protocol.ts'
import type { Candidate } from '../routing/route-set.ts'

/** What an upstream may add around the caller's text: roles, tool preambles, a system note. */
const framingTokens = 512

export interface HoldSize {
  readonly amountNano: Nano
  readonly outputTokensMax: number
}

/**
 * The most that a request can cost at the dearest candidate. A token is at least one byte of UTF-8, so the
 * body's bytes bound its tokens without counting them; output is bounded by the caller's limit, the model's, and
 * one that the gateway sets itself when money is short. Features add their calls and multiply their tokens.
 */
export function sizeHold(
  bodyBytes: number,
  facts: RequestFacts,
  candidates: readonly Candidate[],
  tokensMax: number = Number.POSITIVE_INFINITY,
): HoldSize {
  let amountNano = 0n
  let outputTokensMax = 0
  for (const { model, price, group } of candidates) {
    const limit = Math.min(facts.outputTokensMax ?? model.maxOutputTokens, model.maxOutputTokens)
    const output = Math.min(limit, tokensMax) * facts.answers
    const cost = costOfTokens(
      price,
      group.factorMicro,
      bodyBytes + framingTokens,
      output,
      facts.features,
    )
    if (cost > amountNano) amountNano = cost
    if (output > outputTokensMax) outputTokensMax = output
  }
  return { amountNano, outputTokensMax }
}

/** How many output tokens an answer may have so that the request costs at most this much anywhere. */
export function affordableTokens(
  affordableNano: Nano,
  bodyBytes: number,
  facts: RequestFacts,
  candidates: readonly Candidate[],
): number {
  let least = 0
  let most = Math.max(...candidates.map(({ model }) => model.maxOutputTokens))
  // Prices may have steps of their own, so the limit is searched for and not computed.
  while (least < most) {
    const middle = Math.ceil((least + most) / 2)
    const { amountNano } = sizeHold(bodyBytes, facts, candidates, middle)
    if (amountNano <= affordableNano) least = middle
    else most = middle - 1
  }
  return least
}
