import type { HoldRefusal } from '../../ledger/ledger.ts'
import type { Constraint } from '../exchange.ts'
import { addressOf } from '../forward/route-address.ts'
import { mayReason } from '../forward/route-traits.ts'
import { affordableTokens, type HoldParams } from './size-hold.ts'

/** The output tokens that a stream holds at a time. */
export const sliceTokens = 4_096
/** The shortest output limit that is still useful. */
const usefulTokensMin = 256

/** Tokens that a translation may add: a fixed number per request, plus one for each `tokensPerAdded` tokens of text. */
const addedTokens = 64
const tokensPerAdded = 8

/**
 * A constrained request is rewritten even for an upstream of the client's own protocol. The hold includes what the
 * rewriting adds, because there may be no money left for it afterwards.
 */
export function withRoom<Params extends HoldParams>(params: Params): Params {
  const { input } = params
  const textTokens = input.textTokens + addedTokens + Math.ceil(input.textTokens / tokensPerAdded)
  return { ...params, input: { ...input, textTokens } }
}

/** Whether a candidate may get the request translated, which adds tokens that have to be paid for. */
export function isTranslated({ client, facts, candidates }: HoldParams): boolean {
  return candidates.some(
    ({ route, credential }) =>
      addressOf(route, credential, client, facts.isStream).protocol !== client,
  )
}

/**
 * How a request can be served when the money does not cover the full cost; undefined when it cannot. A stream starts
 * with a slice, unless the model may reason: hidden tokens cannot be observed. A request without an output limit gets
 * one that the money covers.
 */
export function constrain(refusal: HoldRefusal, params: HoldParams): Constraint | undefined {
  const { facts, candidates } = params
  if (facts.isCompaction === true) return undefined
  const tokens = affordableTokens(refusal.affordableNano, params)
  if (facts.isStream && facts.answers === 1 && !candidates.some(({ route }) => mayReason(route))) {
    if (tokens < usefulTokensMin) return undefined
    return { kind: 'slices', tokensMax: Math.min(sliceTokens, tokens) }
  }
  if (facts.outputTokensMax !== undefined || tokens < usefulTokensMin) return undefined
  return { kind: 'limit', tokensMax: tokens }
}
