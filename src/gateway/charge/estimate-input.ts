import { TextMeter } from '../../protocols/measure/text-meter.ts'
import type { JsonBody } from '../../protocols/request-facts.ts'
import { isObject, parseJson } from '../../wire/json.ts'
import { CutString, type TextCuts } from '../../wire/text-cuts.ts'
import type { InputBound } from '../admit/bound-input.ts'

/** An image. Vendors count from a few hundred to about two thousand tokens. */
const tokensPerPicture = 1_500
/** Any other file (PDF, audio, video): this many tokens for each piece of its base64. */
const tokensPerPiece = 1_000
const pieceCharacters = 64 * 1024
const mediumLengthMin = 2_048

/** Metering a text costs far more than visiting it. In a longer text only evenly spaced windows are metered. */
const meteredMax = 32 * 1024
const windowCharacters = 512
const windows = meteredMax / windowCharacters

/** Members that contain written text, whatever it looks like. */
const written = new Set([
  'text',
  'content',
  'input',
  'instructions',
  'system',
  'arguments',
  'output',
])
/** Members that refer to a medium which only the upstream sees. */
const referring = new Set(['image_url', 'file_url', 'video_url', 'file_id', 'fileUri', 'file_uri'])
/** Members that contain such a reference in a member `url`. */
const holders = new Set([...referring, 'source'])

/** A string of a request, whole or with a part cut out. */
type SomeText = string | CutString
type Estimated = Pick<JsonBody, 'value' | 'text' | 'cuts'>

/** A body with more text than this, apart from its cuts, is not parsed again. */
const reReadMax = 1024 * 1024

/** The value to walk. A long string is inspected where it was cut out, because assembling it takes too long. */
function walked({ value, text, cuts }: Estimated): {
  readonly root: unknown
  readonly textOf: (string: string) => SomeText
} {
  if (!cuts || text.length > reReadMax) return { root: value, textOf: (string) => string }
  return { root: parseJson(text), textOf: (string) => findCut(string, cuts) }
}

function findCut(string: string, cuts: TextCuts): SomeText {
  return cuts.find(string) ?? string
}

/** Estimates the input tokens of a request from all its text and media, for an upstream that reports none. */
export function estimateInputTokens(body: Estimated): number {
  const texts: SomeText[] = []
  let characters = 0
  let media = 0
  const { root, textOf } = walked(body)
  const take = (text: SomeText): void => {
    texts.push(text)
    characters += text.length
  }
  const walk = (value: unknown, name: string, holder: string): void => {
    if (typeof value === 'string') {
      const text = textOf(value)
      const tokens = tokensOfMedium(text, name, holder)
      if (tokens === 0) take(text)
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
  walk(root, '', '')
  return media + (characters <= meteredMax ? meterAll(texts) : meterWindows(texts, characters))
}

function meterAll(texts: readonly SomeText[]): number {
  const meter = new TextMeter()
  for (const text of texts) meter.add(text.slice(0, text.length))
  return meter.tokens()
}

function meterWindows(texts: readonly SomeText[], characters: number): number {
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
function tokensOfMedium(text: SomeText, name: string, holder: string): number {
  if (written.has(name)) return 0
  const head = text instanceof CutString ? text.head : text
  if (/^data:[^,]{0,200},/.test(head)) return tokensOfInline(text, head.startsWith('data:image/'))
  const isReference = referring.has(name) || (name === 'url' && holders.has(holder))
  if (isReference && text !== '') return tokensPerPicture
  if (text.length < mediumLengthMin || !isBase64(text)) return 0
  return tokensOfInline(text, pictureStart.test(head))
}

const base64 = /^[A-Za-z0-9+/_-]+={0,2}$/
const sampledCharacters = 4_096

/** For a long text, checks only the start, the middle and the end. */
function isBase64(text: SomeText): boolean {
  if (text.length <= sampledCharacters * 3) return base64.test(text.slice(0, text.length))
  const middle = Math.floor(text.length / 2)
  return [0, middle, text.length - sampledCharacters].every((start) =>
    base64.test(text.slice(start, start + sampledCharacters)),
  )
}

/** PNG, JPEG, GIF and WebP in base64. */
const pictureStart = /^(?:iVBOR|\/9j\/|R0lG|UklGR)/

function tokensOfInline(text: SomeText, isPicture: boolean): number {
  return isPicture ? tokensPerPicture : Math.ceil(text.length / pieceCharacters) * tokensPerPiece
}

/** A faster estimate (a twentieth of the work) for a figure that the upstream will correct: four characters a token. */
export function roughInputTokens(body: Estimated): number {
  const { root, textOf } = walked(body)
  const walk = (value: unknown, name: string, holder: string): number => {
    if (typeof value === 'string') {
      const text = textOf(value)
      return tokensOfMedium(text, name, holder) || text.length / 4
    }
    if (typeof value !== 'object' || value === null) return 0
    let tokens = 0
    if (Array.isArray(value)) for (const each of value) tokens += walk(each, name, holder)
    else if (isObject(value))
      for (const member in value) tokens += walk(value[member], member, name)
    return tokens
  }
  return Math.ceil(walk(root, '', ''))
}

/** The same without reading the body, for the hold's record: about four bytes of text a token. */
export function guessInputTokens({ bodyBytes, measure }: InputBound): number {
  const media = measure.images + measure.imageAddresses
  return Math.ceil((bodyBytes - measure.mediaBytes) / 4) + media * tokensPerPicture
}
