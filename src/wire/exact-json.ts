import {
  backslash,
  carriageReturn,
  closeBrace,
  closeBracket,
  comma,
  lineFeed,
  openBrace,
  openBracket,
  quote,
  space,
  tab,
} from './char-codes.ts'
import { parseJson } from './json.ts'

/** JSON that keeps the text in which it was sent, and is written unchanged. */
export class RawJson {
  readonly text: string

  constructor(text: string) {
    this.text = text
  }
}

/**
 * Content that a plain parse would damage: integers beyond 2^53, numbers in a spelling that JavaScript does not write,
 * keys that look like array indexes (they would be reordered). The pattern may match too often: a match inside a string
 * only costs time.
 */
const fragile = /\d{16}|\d\.\d|\d[eE]|-0|"\d+"\s*:|"__proto__"/

/**
 * Parses JSON and keeps objects and lists below members with these names as text; see `jsonTextOf`. Returns undefined
 * for text that is not JSON. `known` is the parsed value, if the text has been parsed before.
 */
export function parseKeepingText(
  text: string,
  members: ReadonlySet<string>,
  known?: unknown,
): unknown {
  const value = known ?? parseJson(text)
  if (value === undefined || !fragile.test(text)) return value
  return readExactly(new ExactReader(text, members, false), value)
}

/** Parses JSON that will be changed and written again. A number that would be written differently stays text. */
export function parseExact(text: string): unknown {
  const value = parseJson(text)
  if (value === undefined || !fragile.test(text)) return value
  return readExactly(new ExactReader(text, undefined, true), value)
}

/** An upstream may nest deeper than this recursive reader can follow. Then the plain value is used. */
function readExactly(reader: ExactReader, plain: unknown): unknown {
  try {
    return reader.read()
  } catch (error) {
    if (error instanceof RangeError) return plain
    throw error
  }
}

/** The JSON text of a value: the original text if that was kept. */
export function jsonTextOf(value: unknown): string {
  return value instanceof RawJson ? value.text : writeJson(value)
}

/** The plain value of a value that may be kept as text. */
export function plainOf(value: unknown): unknown {
  return value instanceof RawJson ? parseJson(value.text) : value
}

/** Like JSON.stringify, but writes kept text unchanged. Members that are undefined are omitted. */
export function writeJson(value: unknown): string {
  return holdsKept(value) ? writeKept(value) : (JSON.stringify(value) ?? 'null')
}

/** Few values contain kept text, and the runtime writes all others several times as fast. */
function holdsKept(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false
  if (value instanceof RawJson) return true
  if (Array.isArray(value)) {
    for (let index = 0; index < value.length; index += 1) {
      const item: unknown = value[index]
      if (typeof item === 'object' && item !== null && holdsKept(item)) return true
    }
    return false
  }
  for (const name in value) {
    const member = (value as Record<string, unknown>)[name]
    if (typeof member === 'object' && member !== null && holdsKept(member)) return true
  }
  return false
}

/** Matches everything that must be escaped, and much that need not be. */
const mayNeedEscape = /[^ !#-[\]-~]/
/** The runtime quotes a longer text. */
const plainLengthMax = 64

/** Most names and many texts are short and plain. Checking them here takes less time than a call of the runtime. */
function quoted(text: string): string {
  return text.length <= plainLengthMax && !mayNeedEscape.test(text)
    ? `"${text}"`
    : JSON.stringify(text)
}

function writeKept(value: unknown): string {
  if (typeof value === 'string') return quoted(value)
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'null'
  if (value instanceof RawJson) return value.text
  if (Array.isArray(value)) {
    let text = '['
    for (let index = 0; index < value.length; index += 1) {
      text += index === 0 ? writeKept(value[index]) : `,${writeKept(value[index])}`
    }
    return `${text}]`
  }
  let text = '{'
  let separator = ''
  for (const name in value) {
    const member = (value as Record<string, unknown>)[name]
    if (member === undefined) continue
    text += `${separator}${quoted(name)}:${writeKept(member)}`
    separator = ','
  }
  return `${text}}`
}

/** Reads text that is known to be valid JSON, so the reader validates nothing and cannot fail. */
class ExactReader {
  readonly #text: string
  readonly #members: ReadonlySet<string> | undefined
  readonly #keepsNumbers: boolean
  #at = 0

  constructor(text: string, members: ReadonlySet<string> | undefined, keepsNumbers: boolean) {
    this.#text = text
    this.#members = members
    this.#keepsNumbers = keepsNumbers
  }

  read(): unknown {
    this.#skipSpace()
    switch (this.#text.charCodeAt(this.#at)) {
      case openBrace:
        return this.#readObject()
      case openBracket:
        return this.#readList()
      case quote:
        return this.#readString()
      case 0x74:
        this.#at += 4
        return true
      case 0x66:
        this.#at += 5
        return false
      case 0x6e:
        this.#at += 4
        return null
      default:
        return this.#readNumber()
    }
  }

  #readObject(): Record<string, unknown> {
    const object: Record<string, unknown> = {}
    this.#at += 1
    this.#skipSpace()
    while (this.#text.charCodeAt(this.#at) !== closeBrace) {
      const name = this.#readString()
      this.#skipSpace()
      this.#at += 1
      this.#skipSpace()
      const value = this.#members?.has(name) ? this.#readKept() : this.read()
      if (name === '__proto__') {
        Object.defineProperty(object, name, { value, enumerable: true, writable: true })
      } else object[name] = value
      this.#skipSpace()
      if (this.#text.charCodeAt(this.#at) === comma) {
        this.#at += 1
        this.#skipSpace()
      }
    }
    this.#at += 1
    return object
  }

  #readList(): unknown[] {
    const list: unknown[] = []
    this.#at += 1
    this.#skipSpace()
    while (this.#text.charCodeAt(this.#at) !== closeBracket) {
      list.push(this.read())
      this.#skipSpace()
      if (this.#text.charCodeAt(this.#at) === comma) {
        this.#at += 1
        this.#skipSpace()
      }
    }
    this.#at += 1
    return list
  }

  /** Only objects and lists are kept as text; scalars are parsed. */
  #readKept(): unknown {
    const code = this.#text.charCodeAt(this.#at)
    if (code !== openBrace && code !== openBracket) return this.read()
    const start = this.#at
    this.#skipNested()
    return new RawJson(this.#text.slice(start, this.#at))
  }

  #skipNested(): void {
    let depth = 0
    do {
      const code = this.#text.charCodeAt(this.#at)
      if (code === quote) {
        this.#skipString()
        continue
      }
      if (code === openBrace || code === openBracket) depth += 1
      else if (code === closeBrace || code === closeBracket) depth -= 1
      this.#at += 1
    } while (depth > 0)
  }

  #readString(): string {
    const start = this.#at
    this.#skipString()
    const inner = this.#text.slice(start + 1, this.#at - 1)
    return inner.includes('\\') ? String(parseJson(`"${inner}"`)) : inner
  }

  #skipString(): void {
    let end = this.#text.indexOf('"', this.#at + 1)
    while (this.#isEscaped(end)) end = this.#text.indexOf('"', end + 1)
    this.#at = end + 1
  }

  #isEscaped(at: number): boolean {
    let slashes = 0
    while (this.#text.charCodeAt(at - 1 - slashes) === backslash) slashes += 1
    return slashes % 2 === 1
  }

  #readNumber(): unknown {
    const start = this.#at
    while (isNumberCode(this.#text.charCodeAt(this.#at))) this.#at += 1
    const spelled = this.#text.slice(start, this.#at)
    const value = Number(spelled)
    return this.#keepsNumbers && String(value) !== spelled ? new RawJson(spelled) : value
  }

  #skipSpace(): void {
    for (;;) {
      const code = this.#text.charCodeAt(this.#at)
      if (code !== space && code !== lineFeed && code !== carriageReturn && code !== tab) return
      this.#at += 1
    }
  }
}

function isNumberCode(code: number): boolean {
  return (
    (code >= 0x30 && code <= 0x39) ||
    code === 0x2e ||
    code === 0x2d ||
    code === 0x2b ||
    code === 0x65 ||
    code === 0x45
  )
}
