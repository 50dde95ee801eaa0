import { TextMeter } from '../protocols/text-meter.ts'
import { isObject } from '../wire/json.ts'
import type { InputBound } from './bound-input.ts'

/** An inline image or file is not text; vendors count a few hundred to a few thousand tokens for one. */
const tokensPerMedium = 1_000
const mediumLengthMin = 2_048

/** Estimates the input tokens of a request from all the text in it, for an upstream that reports none. */
export function estimateInputTokens(body: unknown): number {
  const meter = new TextMeter()
  let media = 0
  const walk = (value: unknown): void => {
    if (typeof value === 'string') {
      if (isMedium(value)) media += 1
      else meter.add(value)
    } else if (Array.isArray(value)) {
      for (const each of value) walk(each)
    } else if (isObject(value)) {
      for (const name of Object.keys(value)) {
        meter.add(name)
        walk(value[name])
      }
    }
  }
  walk(body)
  return meter.tokens() + media * tokensPerMedium
}

function isMedium(text: string): boolean {
  if (text.startsWith('data:')) return true
  return text.length >= mediumLengthMin && /^[A-Za-z0-9+/_-]+={0,2}$/.test(text)
}

/** A twentieth of the work, for a figure that the upstream will correct: all texts at four characters a token. */
export function roughInputTokens(body: unknown): number {
  if (typeof body === 'string') return isMedium(body) ? tokensPerMedium : body.length / 4
  if (typeof body !== 'object' || body === null) return 0
  let tokens = 0
  for (const value of Object.values(body)) tokens += roughInputTokens(value)
  return Math.ceil(tokens)
}

/** The same without looking, for the hold's record: about four bytes of text a token. */
export function guessInputTokens({ bodyBytes, measure }: InputBound): number {
  const media = measure.images + measure.imageAddresses
  return Math.ceil((bodyBytes - measure.mediaBytes) / 4) + media * tokensPerMedium
}
