import type { HoldRefusal } from '../../ledger/ledger.ts'
import { addressOf } from '../forward/route-address.ts'
import { mayThink } from '../forward/route-traits.ts'
import { affordableTokens, type HoldQuestion } from './size-hold.ts'

/** How a request is kept within the money that was set aside for it. */
export interface Constraint {
  /** How many output tokens of one answer are paid for now. */
  readonly tokensMax: number
  /** `limit`: the upstream is told. `slices`: more is set aside as the answer grows, and it is cut when there is none. */
  readonly kind: 'limit' | 'slices'
}

/** What a stream sets aside at a time. */
export const sliceTokens = 4_096
/** An answer that may be shorter than this is none. */
const usefulTokensMin = 256

/** What a translation adds to a text: to every request, and to so many tokens of it one. */
const addedTokens = 64
const tokensPerAdded = 8

/**
 * A request that is kept within little money is written anew, also for an upstream of the caller's own protocol: what
 * that adds is paid for in advance, since afterwards there may be nothing left.
 */
export function withRoom<Question extends HoldQuestion>(question: Question): Question {
  const { input } = question
  const textTokens = input.textTokens + addedTokens + Math.ceil(input.textTokens / tokensPerAdded)
  return { ...question, input: { ...input, textTokens } }
}

/** Whether an upstream may get it in other words than the caller's, which have to be paid for as well. */
export function isTranslated({ client, facts, candidates }: HoldQuestion): boolean {
  return candidates.some(
    ({ route, credential }) =>
      addressOf(route, credential, client, facts.isStream).protocol !== client,
  )
}

/**
 * What can still be done when the whole is not affordable. A stream begins with a slice, unless the model may
 * think: hidden tokens cannot be seen coming. Whoever has set no limit gets one that can be paid.
 */
export function constrain(refusal: HoldRefusal, question: HoldQuestion): Constraint | undefined {
  const { facts, candidates } = question
  if (facts.isCompaction === true) return undefined
  const tokens = affordableTokens(refusal.affordableNano, question)
  if (facts.isStream && facts.answers === 1 && !candidates.some(({ route }) => mayThink(route))) {
    if (tokens < usefulTokensMin) return undefined
    return { kind: 'slices', tokensMax: Math.min(sliceTokens, tokens) }
  }
  if (facts.outputTokensMax !== undefined || tokens < usefulTokensMin) return undefined
  return { kind: 'limit', tokensMax: tokens }
}
