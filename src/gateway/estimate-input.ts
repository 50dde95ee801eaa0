import { TextMeter } from '../protocols/text-meter.ts'
import { isObject } from '../wire/json.ts'
import type { InputBound } from './bound-input.ts'

/** A picture: vendors count a few hundred to some two thousand tokens for one. */
const tokensPerPicture = 1_500
/** Any other file (a PDF, a sound, a film): so many tokens for each piece of its base64. */
const tokensPerPiece = 1_000
const pieceCharacters = 64 * 1024
const mediumLengthMin = 2_048

/** Counting takes most of a microsecond a character: of a long prompt the beginning tells how dense the rest is. */
const countedCharactersMax = 32 * 1024

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
  const text = new PromptMeter()
  let media = 0
  const walk = (value: unknown, name: string, holder: string): void => {
    if (typeof value === 'string') {
      const tokens = tokensOfMedium(value, name, holder)
      if (tokens === 0) text.add(value)
      else media += tokens
    } else if (Array.isArray(value)) {
      for (const each of value) walk(each, name, holder)
    } else if (isObject(value)) {
      for (const member of Object.keys(value)) {
        text.add(member)
        walk(value[member], member, name)
      }
    }
  }
  walk(body, '', '')
  return text.tokens() + media
}

/** Counts the beginning of a prompt, and takes the rest to be as dense, and no less than four bytes a token. */
class PromptMeter {
  readonly #meter = new TextMeter()
  #counted = 0
  #restCharacters = 0
  #restBytes = 0

  add(text: string): void {
    const room = countedCharactersMax - this.#counted
    if (text.length <= room) {
      this.#counted += text.length
      this.#meter.add(text)
      return
    }
    if (room > 0) {
      this.#counted = countedCharactersMax
      this.#meter.add(text.slice(0, room))
    }
    this.#restCharacters += text.length - room
    this.#restBytes += Buffer.byteLength(room > 0 ? text.slice(room) : text)
  }

  tokens(): number {
    const tokens = this.#meter.tokens()
    if (this.#restCharacters === 0) return tokens
    const asDense = (tokens / this.#counted) * this.#restCharacters
    return tokens + Math.ceil(Math.max(asDense, this.#restBytes / 4))
  }
}

/** 0 for a text. */
function tokensOfMedium(text: string, name: string, holder: string): number {
  if (written.has(name)) return 0
  if (/^data:[^,]{0,200},/.test(text)) return tokensOfInline(text, text.startsWith('data:image/'))
  const isReference = referring.has(name) || (name === 'url' && holders.has(holder))
  if (isReference && text !== '') return tokensPerPicture
  if (text.length < mediumLengthMin || !/^[A-Za-z0-9+/_-]+={0,2}$/.test(text)) return 0
  return tokensOfInline(text, pictureStart.test(text))
}

/** PNG, JPEG, GIF and WebP in base64. */
const pictureStart = /^(?:iVBOR|\/9j\/|R0lG|UklGR)/

function tokensOfInline(text: string, isPicture: boolean): number {
  return isPicture ? tokensPerPicture : Math.ceil(text.length / pieceCharacters) * tokensPerPiece
}

/** A twentieth of the work, for a figure that the upstream will correct: all texts at four characters a token. */
export function roughInputTokens(body: unknown, name = '', holder = ''): number {
  if (typeof body === 'string') {
    const media = tokensOfMedium(body, name, holder)
    return media === 0 ? body.length / 4 : media
  }
  if (Array.isArray(body)) {
    let tokens = 0
    for (const value of body) tokens += roughInputTokens(value, name, holder)
    return Math.ceil(tokens)
  }
  if (!isObject(body)) return 0
  let tokens = 0
  for (const [member, value] of Object.entries(body)) {
    tokens += roughInputTokens(value, member, name)
  }
  return Math.ceil(tokens)
}

/** The same without looking, for the hold's record: about four bytes of text a token. */
export function guessInputTokens({ bodyBytes, measure }: InputBound): number {
  const media = measure.images + measure.imageAddresses
  return Math.ceil((bodyBytes - measure.mediaBytes) / 4) + media * tokensPerMedium
}
