import type { SetAsideText } from '../../translation.ts'

/** The size of a piece that is set aside. Writing this much takes a fraction of a millisecond. */
const asideCharacters = 32 * 1024
/** Very small pieces are joined earlier, because each piece is a separate value in memory. */
const piecesMax = 4 * 1024

/**
 * JSON text that arrives in pieces and is written several times at its end. Complete pieces are set aside as they
 * arrive, so that the end only has to write the last pieces.
 */
class WrittenJson {
  readonly #setAside: SetAsideText | undefined
  readonly #done: string[] = []
  #pieces: string[] = []
  #pending = 0

  constructor(setAside: SetAsideText | undefined) {
    this.#setAside = setAside
  }

  get isEmpty(): boolean {
    return this.#pieces.length === 0 && this.#done.length === 0
  }

  add(json: string): void {
    this.#pieces.push(json)
    this.#pending += json.length
    if (this.#pending < asideCharacters && this.#pieces.length < piecesMax) return
    const joined = this.#pieces.join('')
    this.#pieces = [joined]
    if (joined.length < asideCharacters) return
    this.#done.push(this.#setAside?.(joined) ?? joined)
    this.#pieces = []
    this.#pending = 0
  }

  /** The whole text, with marks for the pieces that were set aside. */
  write(): string {
    return this.#done.join('') + this.#pieces.join('')
  }
}

/** The contents of a JSON string. */
export class WrittenString {
  readonly #json: WrittenJson
  /** The first half of a surrogate pair, which is written with its second half. */
  #half = ''
  #length = 0

  constructor(setAside: SetAsideText | undefined) {
    this.#json = new WrittenJson(setAside)
  }

  /** The length in UTF-16 units. */
  get length(): number {
    return this.#length
  }

  /** `json` is the same text as a JSON string, which the caller already has. */
  add(text: string, json: string): void {
    this.#length += text.length
    const isSplit = this.#half !== '' || endsInHalf(text)
    if (!isSplit) {
      this.#json.add(json.slice(1, -1))
      return
    }
    const whole = this.#half + text
    this.#half = endsInHalf(whole) ? whole.slice(-1) : ''
    this.#json.add(JSON.stringify(this.#half === '' ? whole : whole.slice(0, -1)).slice(1, -1))
  }

  /** The text as a JSON string. */
  write(): string {
    const half = this.#half === '' ? '' : JSON.stringify(this.#half).slice(1, -1)
    return `"${this.#json.write()}${half}"`
  }
}

/** The items of a JSON list. */
export class WrittenList {
  readonly #json: WrittenJson

  constructor(setAside: SetAsideText | undefined) {
    this.#json = new WrittenJson(setAside)
  }

  get isEmpty(): boolean {
    return this.#json.isEmpty
  }

  /** `json` is a non-empty list. */
  addAll(json: string): void {
    const items = json.slice(1, -1)
    this.#json.add(this.#json.isEmpty ? items : `,${items}`)
  }

  write(): string {
    return `[${this.#json.write()}]`
  }
}

/** Base64 encodes bytes in groups of three. */
const group = 3

/** A text in base64url without padding. */
export class WrittenBase64 {
  readonly #json: WrittenJson
  #rest = new Uint8Array()
  #half = ''
  #pieces: string[] = []
  #pending = 0

  constructor(setAside: SetAsideText | undefined) {
    this.#json = new WrittenJson(setAside)
  }

  add(text: string): void {
    this.#pieces.push(text)
    this.#pending += text.length
    if (this.#pending >= asideCharacters || this.#pieces.length >= piecesMax) this.#encode()
  }

  write(): string {
    this.#encode()
    return this.#json.write() + base64Url(joined(this.#rest, utf8.encode(this.#half)))
  }

  #encode(): void {
    const text = this.#half + this.#pieces.join('')
    this.#pieces = []
    this.#pending = 0
    this.#half = endsInHalf(text) ? text.slice(-1) : ''
    const bytes = joined(this.#rest, utf8.encode(this.#half === '' ? text : text.slice(0, -1)))
    const end = bytes.length - (bytes.length % group)
    this.#rest = bytes.slice(end)
    if (end > 0) this.#json.add(base64Url(bytes.subarray(0, end)))
  }
}

const utf8 = new TextEncoder()

function joined(first: Uint8Array, second: Uint8Array): Uint8Array<ArrayBuffer> {
  const whole = new Uint8Array(first.length + second.length)
  whole.set(first)
  whole.set(second, first.length)
  return whole
}

function base64Url(bytes: Uint8Array): string {
  return bytes.toBase64({ alphabet: 'base64url', omitPadding: true })
}

function endsInHalf(text: string): boolean {
  const last = text.charCodeAt(text.length - 1)
  return last >= 0xd800 && last <= 0xdbff
}
