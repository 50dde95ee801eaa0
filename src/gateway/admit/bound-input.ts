import { type InputMeasure, plainInput } from '../../protocols/input-measure.ts'
import type { JsonBody, Protocol } from '../../protocols/protocol.ts'
import type { Candidate } from '../../routing/route-set.ts'
import { vendors } from '../../vendors/index.ts'
import { addsInput } from '../forward/route-traits.ts'
import { tightTextTokens } from './bound-text.ts'
import { contextTokensOf } from './context-window.ts'

/** What an upstream may add around the caller's text: roles, tool preambles, a system note. */
export const framingTokens = 512
/** An image in the body, for a model of which nobody has told: more than any vendor counts for one. */
const imageTokensUnknown = 50_000

/** What is known of a request's input before anybody has counted it. */
export interface InputBound {
  readonly bodyBytes: number
  /** The most tokens that its text can have. */
  readonly textTokens: number
  /** What it has besides text. */
  readonly measure: InputMeasure
  /** What an earlier response, which the upstream puts in front, can have at most; 0 when there is none. */
  readonly earlierTokens: number
  /** The same with a narrower bound of the text, for one whose money is short: it reads all of it. */
  tighter(): InputBound
}

/**
 * A token is at least one byte of UTF-8, so the bytes of a body bound the tokens of its text without counting them.
 * `lastTurnTokens` are those of the response that it goes on from, where they are known.
 */
export function boundInput(
  { passThrough }: Pick<Protocol, 'passThrough'>,
  body: JsonBody,
  bodyBytes: number,
  lastTurnTokens: number = Number.POSITIVE_INFINITY,
): InputBound {
  const measure = passThrough.measureInput(body.value)
  const textTokens = bodyBytes - measure.mediaBytes + framingTokens
  const earlierTokens = measure.goesOn ? lastTurnTokens : 0
  const wide = { bodyBytes, textTokens, measure, earlierTokens }
  return { ...wide, tighter: () => tighten(body, wide) }
}

function tighten(body: JsonBody, wide: Omit<InputBound, 'tighter'>): InputBound {
  const wideTokens = wide.bodyBytes + framingTokens
  const textTokens = Math.min(tightTextTokens(body), wideTokens) - wide.measure.mediaBytes
  const bound: InputBound = { ...wide, textTokens, tighter: () => bound }
  return bound
}

/** The most input that a request can be charged for at this candidate; never more than the model can take. */
export function inputTokensAt(input: InputBound, candidate: Candidate): number {
  const windowTokens = contextTokensOf(candidate.model)
  const { textTokens, measure, earlierTokens } = input
  if (addsInput(candidate.route)) return windowTokens
  if (measure === plainInput) return Math.min(textTokens, windowTokens)
  if (measure.isOpen) return windowTokens
  const media = mediaTokens(measure, candidate, windowTokens)
  return Math.min(textTokens + measure.toolTokens + media + earlierTokens, windowTokens)
}

function mediaTokens(
  { images, imageAddresses }: InputMeasure,
  { route }: Candidate,
  windowTokens: number,
): number {
  const vendor = vendors.get(route.upstream.vendor)
  const known = vendor?.imageTokens?.(route.upstreamModel)
  const perImage = known?.inBody ?? imageTokensUnknown
  const perAddress = known?.atAddress ?? windowTokens
  return images * perImage + imageAddresses * perAddress
}
