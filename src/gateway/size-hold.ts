import type { Nano } from '../core/money.ts'
import { costOf, dearestInputNano } from '../core/price.ts'
import { noUsage } from '../core/usage.ts'
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
    const dearest = { ...price, inputNano: dearestInputNano(price) }
    const bound = { ...noUsage, input: bodyBytes + framingTokens, output }
    const cost = costOf(bound, dearest, group.factorMicro)
    if (cost > amountNano) amountNano = cost
    if (output > outputTokensMax) outputTokensMax = output
  }
  return { amountNano, outputTokensMax }
}
