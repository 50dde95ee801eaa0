import { type InputMeasure, plainInput } from '../../protocols/measure/input-measure.ts'
import type { Protocol } from '../../protocols/protocol.ts'
import type { JsonBody } from '../../protocols/request-facts.ts'
import type { Candidate } from '../../routing/route-set.ts'
import { vendors } from '../../vendors/index.ts'
import { addsInput } from '../forward/route-traits.ts'
import { tightTextTokens } from './bound-text.ts'
import { contextTokensOf } from './context-window.ts'

/** Tokens that an upstream may add around the client's text: roles, tool preambles, a system note. */
export const framingTokens = 512
/** An image in the body, for a model without image data: more than any vendor counts for one image. */
const imageTokensUnknown = 50_000

/** The bounds of a request's input before it is counted. */
export interface InputBound {
  readonly bodyBytes: number
  /** The most tokens that the text can have. */
  readonly textTokens: number
  /** The input other than text. */
  readonly measure: InputMeasure
  /** The most tokens of an earlier response that the upstream prepends; 0 when there is none. */
  readonly earlierTokens: number
  /** The same with a tighter bound of the text, for when money is short: this reads the whole body. */
  tighter(): InputBound
}

/**
 * A token is at least one byte of UTF-8, so the size of a body bounds the tokens of its text without counting them.
 * `lastTurnTokens` are the tokens of the response that the request continues, if known.
 */
export function boundInput(
  { passThrough }: Pick<Protocol, 'passThrough'>,
  body: JsonBody,
  bodyBytes: number,
  lastTurnTokens: number = Number.POSITIVE_INFINITY,
): InputBound {
  const measure = passThrough.measureInput(body.value)
  const textTokens = bodyBytes - measure.mediaBytes + framingTokens
  const earlierTokens = measure.continuesResponse ? lastTurnTokens : 0
  const wide = { bodyBytes, textTokens, measure, earlierTokens }
  return { ...wide, tighter: () => tighten(body, wide) }
}

function tighten(body: JsonBody, wide: Omit<InputBound, 'tighter'>): InputBound {
  const wideTokens = wide.bodyBytes + framingTokens
  const textTokens = Math.min(tightTextTokens(body), wideTokens) - wide.measure.mediaBytes
  const bound: InputBound = { ...wide, textTokens, tighter: () => bound }
  return bound
}

/** The most input tokens that a request can be charged for at this candidate, limited by the model's context window. */
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
