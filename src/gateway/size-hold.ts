import type { Nano } from '../core/money.ts'
import { costOfTokens } from '../core/price.ts'
import type { RequestFacts } from '../protocols/protocol.ts'
import type { Candidate } from '../routing/plan.ts'

/** What an upstream may add around the caller's text: roles, tool preambles, a system note. */
const framingTokens = 512

export interface HoldSize {
  readonly amountNano: Nano
  readonly outputTokensMax: number
}

/**
 * The most that a request can cost at the dearest candidate. A token is at least one byte of UTF-8, so the
 * body's bytes bound its tokens without counting them; output is bounded by the caller's limit and the model's.
 */
export function sizeHold(
  bodyBytes: number,
  facts: RequestFacts,
  candidates: readonly Candidate[],
): HoldSize {
  let amountNano = 0n
  let outputTokensMax = 0
  for (const { model, price, group } of candidates) {
    const output =
      Math.min(facts.outputTokensMax ?? model.maxOutputTokens, model.maxOutputTokens) *
      facts.answers
    const cost = costOfTokens(price, group.factorMicro, bodyBytes + framingTokens, output)
    if (cost > amountNano) amountNano = cost
    if (output > outputTokensMax) outputTokensMax = output
  }
  return { amountNano, outputTokensMax }
}
