import { TextMeter } from '../protocols/text-meter.ts'
import { isObject } from '../wire/json.ts'

/** An inline image or file is not text; vendors count a few hundred to a few thousand tokens for one. */
const tokensPerMedium = 1_000
const mediumLengthMin = 2_048

/** Metering costs far more than walking. A longer text is metered in windows at equal distances. */
const meteredMax = 128 * 1024
const windowCharacters = 2_048
const windows = meteredMax / windowCharacters

/** Estimates the input tokens of a request from all the text in it, for an upstream that reports none. */
export function estimateInputTokens(body: unknown): number {
  const texts: string[] = []
  const found = { characters: 0, media: 0 }
  collect(body, texts, found)
  const tokens =
    found.characters <= meteredMax ? meterAll(texts) : meterWindows(texts, found.characters)
  return tokens + found.media * tokensPerMedium
}

function collect(
  value: unknown,
  texts: string[],
  found: { characters: number; media: number },
): void {
  if (typeof value === 'string') {
    if (isMedium(value)) found.media += 1
    else {
      texts.push(value)
      found.characters += value.length
    }
  } else if (Array.isArray(value)) {
    for (const each of value) collect(each, texts, found)
  } else if (isObject(value)) {
    for (const name of Object.keys(value)) {
      texts.push(name)
      found.characters += name.length
      collect(value[name], texts, found)
    }
  }
}

function meterAll(texts: readonly string[]): number {
  const meter = new TextMeter()
  for (const text of texts) meter.add(text)
  return meter.tokens()
}

function meterWindows(texts: readonly string[], characters: number): number {
  const meter = new TextMeter()
  const distance = Math.floor(characters / windows)
  let metered = 0
  let passed = 0
  let next = 0
  for (const text of texts) {
    for (; next < passed + text.length; next += distance) {
      const window = text.slice(next - passed, next - passed + windowCharacters)
      meter.add(window)
      metered += window.length
    }
    passed += text.length
  }
  return Math.ceil((meter.tokens() * characters) / metered)
}

const base64 = /^[A-Za-z0-9+/_-]+={0,2}$/
const lookedAtMax = 4_096

/** Of a long text the beginning, the middle and the end tell. */
function isMedium(text: string): boolean {
  if (text.startsWith('data:')) return true
  if (text.length < mediumLengthMin) return false
  if (text.length <= lookedAtMax * 3) return base64.test(text)
  const middle = Math.floor(text.length / 2)
  return [0, middle, text.length - lookedAtMax].every((start) =>
    base64.test(text.slice(start, start + lookedAtMax)),
  )
}

/** A twentieth of the work, for a figure that the upstream will correct: all texts at four characters a token. */
export function roughInputTokens(body: unknown): number {
  return Math.ceil(roughTokens(body))
}

function roughTokens(value: unknown): number {
  if (typeof value === 'string') return isMedium(value) ? tokensPerMedium : value.length / 4
  if (typeof value !== 'object' || value === null) return 0
  let tokens = 0
  if (Array.isArray(value)) for (const each of value) tokens += roughTokens(each)
  else if (isObject(value)) for (const name in value) tokens += roughTokens(value[name])
  return tokens
}

/** The same without looking, for the hold's record: about four bytes a token. */
export function guessInputTokens(bodyBytes: number): number {
  return Math.ceil(bodyBytes / 4)
}
