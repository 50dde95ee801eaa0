import { TextMeter } from '../protocols/text-meter.ts'
import { isObject } from '../wire/json.ts'
import type { InputBound } from './bound-input.ts'

/** A picture: vendors count a few hundred to some two thousand tokens for one. */
const tokensPerPicture = 1_500
/** Any other file (a PDF, a sound, a film): so many tokens for each piece of its base64. */
const tokensPerPiece = 1_000
const pieceCharacters = 64 * 1024
const mediumLengthMin = 2_048

/** Metering costs far more than walking. A longer text is metered in windows at equal distances. */
const meteredMax = 128 * 1024
const windowCharacters = 2_048
const windows = meteredMax / windowCharacters

/** Members in which people write: what stands there is text, whatever it looks like. */
const written = new Set([
  'text',
  'content',
  'input',
  'instructions',
  'system',
  'arguments',
  'output',
])
/** Members that name a medium which only the upstream sees. */
const referring = new Set(['image_url', 'file_url', 'video_url', 'file_id', 'fileUri', 'file_uri'])
/** Members that hold such a reference in a member `url`. */
const holders = new Set([...referring, 'source'])

/** Estimates the input tokens of a request from all the text and media in it, for an upstream that reports none. */
export function estimateInputTokens(body: unknown): number {
  const texts: string[] = []
  let characters = 0
  let media = 0
  const take = (text: string): void => {
    texts.push(text)
    characters += text.length
  }
  const walk = (value: unknown, name: string, holder: string): void => {
    if (typeof value === 'string') {
      const tokens = tokensOfMedium(value, name, holder)
      if (tokens === 0) take(value)
      else media += tokens
    } else if (Array.isArray(value)) {
      for (const each of value) walk(each, name, holder)
    } else if (isObject(value)) {
      for (const member of Object.keys(value)) {
        take(member)
        walk(value[member], member, name)
      }
    }
  }
  walk(body, '', '')
  return media + (characters <= meteredMax ? meterAll(texts) : meterWindows(texts, characters))
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

/** 0 for a text. */
function tokensOfMedium(text: string, name: string, holder: string): number {
  if (written.has(name)) return 0
  if (/^data:[^,]{0,200},/.test(text)) return tokensOfInline(text, text.startsWith('data:image/'))
  const isReference = referring.has(name) || (name === 'url' && holders.has(holder))
  if (isReference && text !== '') return tokensPerPicture
  if (text.length < mediumLengthMin || !isBase64(text)) return 0
  return tokensOfInline(text, pictureStart.test(text))
}

const base64 = /^[A-Za-z0-9+/_-]+={0,2}$/
const lookedAtMax = 4_096

/** Of a long text the beginning, the middle and the end tell. */
function isBase64(text: string): boolean {
  if (text.length <= lookedAtMax * 3) return base64.test(text)
  const middle = Math.floor(text.length / 2)
  return [0, middle, text.length - lookedAtMax].every((start) =>
    base64.test(text.slice(start, start + lookedAtMax)),
  )
}

/** PNG, JPEG, GIF and WebP in base64. */
const pictureStart = /^(?:iVBOR|\/9j\/|R0lG|UklGR)/

function tokensOfInline(text: string, isPicture: boolean): number {
  return isPicture ? tokensPerPicture : Math.ceil(text.length / pieceCharacters) * tokensPerPiece
}

/** A twentieth of the work, for a figure that the upstream will correct: all texts at four characters a token. */
export function roughInputTokens(body: unknown): number {
  return Math.ceil(roughTokens(body, '', ''))
}

function roughTokens(value: unknown, name: string, holder: string): number {
  if (typeof value === 'string') return tokensOfMedium(value, name, holder) || value.length / 4
  if (typeof value !== 'object' || value === null) return 0
  let tokens = 0
  if (Array.isArray(value)) for (const each of value) tokens += roughTokens(each, name, holder)
  else if (isObject(value))
    for (const member in value) tokens += roughTokens(value[member], member, name)
  return tokens
}

/** The same without looking, for the hold's record: about four bytes of text a token. */
export function guessInputTokens({ bodyBytes, measure }: InputBound): number {
  const media = measure.images + measure.imageAddresses
  return Math.ceil((bodyBytes - measure.mediaBytes) / 4) + media * tokensPerPicture
}
