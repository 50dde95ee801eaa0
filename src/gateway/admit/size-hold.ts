import type { Nano } from '../../core/money/money.ts'
import { costOfTokens } from '../../core/money/price.ts'
import type { ProtocolName } from '../../core/neutral/protocol-name.ts'
import type { RequestFacts } from '../../protocols/request-facts.ts'
import type { Candidate } from '../../routing/route-set.ts'
import { addsOutput } from '../forward/route-traits.ts'
import { boundFeatures, callsPerToolMax } from './bound-features.ts'
import { type InputBound, inputTokensAt } from './bound-input.ts'

export interface HoldSize {
  readonly amountNano: Nano
  readonly outputTokensMax: number
}

/** The facts that bound the cost of a request. */
export interface HoldParams {
  /** The protocol of the client. */
  readonly client: ProtocolName
  readonly facts: RequestFacts
  readonly input: InputBound
  readonly candidates: readonly Candidate[]
  /** Set when money was short: the limit for calls of a hosted tool if the client has set none. */
  readonly callsMax?: number | undefined
}

/**
 * The most that a request can cost at the most expensive candidate. It counts the largest possible input at the highest
 * rate. The client, the model and, when money is short, the gateway limit the output. Features add the cost of their
 * calls and multiply the price of their tokens.
 */
export function sizeHold(
  params: HoldParams,
  tokensMax: number = Number.POSITIVE_INFINITY,
): HoldSize {
  const { facts, input, candidates } = params
  let amountNano = 0n
  let outputTokensMax = 0
  for (const candidate of candidates) {
    const { model, price, group } = candidate
    // Some servers read 0 as no limit.
    const hasLimit = facts.outputTokensMax !== 0 && !addsOutput(candidate.route)
    const asked = hasLimit ? facts.outputTokensMax : undefined
    const limit = Math.min(asked ?? model.maxOutputTokens, model.maxOutputTokens)
    const output = Math.min(limit, tokensMax) * facts.answers
    const inputTokens = inputTokensAt(input, candidate)
    const { requested, limits } = boundFeatures(params, candidate)
    const cost = costOfTokens(
      price,
      group.factorMicro,
      inputTokens,
      output,
      requested,
      limits?.together,
    )
    if (cost > amountNano) amountNano = cost
    if (output > outputTokensMax) outputTokensMax = output
  }
  return { amountNano, outputTokensMax }
}

/** The most output tokens of an answer for which the request costs at most this amount at every candidate. */
export function affordableTokens(affordableNano: Nano, params: HoldParams): number {
  let least = 0
  let most = Math.max(...params.candidates.map(({ model }) => model.maxOutputTokens))
  // Prices can have tiers, so the limit is searched instead of computed.
  while (least < most) {
    const middle = Math.ceil((least + most) / 2)
    const { amountNano } = sizeHold(params, middle)
    if (amountNano <= affordableNano) least = middle
    else most = middle - 1
  }
  return least
}

/** The parameters with as many hosted tool calls as the money covers (at least one), if the client set no limit. */
export function withAffordableCalls<Question extends HoldParams>(
  affordableNano: Nano,
  params: Question,
): Question {
  const isOpen = params.facts.features?.some(({ unlimited = 0 }) => unlimited > 0) === true
  const wholeNano = sizeHold(params).amountNano
  if (!isOpen || wholeNano <= affordableNano) return params
  for (let callsMax = callsPerToolMax - 1; callsMax > 0; callsMax -= 1) {
    const fewer = { ...params, callsMax }
    const { amountNano } = sizeHold(fewer)
    if (amountNano <= affordableNano || (callsMax === 1 && amountNano < wholeNano)) return fewer
  }
  return params
}
