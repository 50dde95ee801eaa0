import {
  backslash,
  closeBrace,
  closeBracket,
  colon,
  letterU,
  openBrace,
  openBracket,
  quote,
  space,
} from './char-codes.ts'

/** A cut in a JSON text: its bytes [start, end). */
export interface JsonCut {
  readonly start: number
  readonly end: number
  /** `text`: the middle of a string. Otherwise the kind of the skipped member, whose whole value reads as null. */
  readonly kind: 'text' | SkippedMember['kind']
}

/** A member whose object or list is cut out. */
export interface SkippedMember {
  readonly name: string
  /** `detail`: belongs to the answer itself. `echo`: repeats the caller's input. */
  readonly kind: 'detail' | 'echo'
  /** Applies up to this nesting depth. Deeper names belong to the caller or the model. */
  readonly depthMax: number
}

export interface CutRules {
  /** A string of at least this many bytes is cut, whatever its content. */
  readonly stringBytesMin: number
  /** A shorter string is cut from this length on if the string looks like a file: one long run of base64. */
  readonly fileBytesMin: number
  readonly skipped: readonly SkippedMember[]
}

/**
 * This many bytes stay at both ends of a string, so that readers can recognise the kind of content without guessing.
 */
const endBytes = 192
/**
 * A character boundary is remembered this often, so that finding the end of a cut scans only a few strides. At least
 * `endBytes`.
 */
const strideBytes = 1024

const fileHead = /^(?:data:[\w.+-]+\/[\w.+-]+;base64,)?[A-Za-z0-9+/_=-]+$/

/**
 * Finds the long strings of a JSON text without converting the text to a string: a body of tens of megabytes is mostly
 * one image. Works on bytes and in slices. Validates only the bytes that are cut out; a JSON parser validates the rest.
 */
export class CutJson {
  readonly cuts: JsonCut[] = []
  /** A string that would be cut out is not valid JSON. */
  isBroken = false
  readonly #bytes: Uint8Array
  readonly #rules: CutRules
  #at = 0
  /** Start of the inside of the current string; -1 outside of strings. */
  #stringStart = -1
  /** Two positions in the current string, each between two characters. */
  #before = 0
  #between = 0
  #depth = 0
  /** The last string is the name of a member to skip: if an object or a list follows, the value is cut out. */
  #skipNext: SkippedMember | undefined
  #skipped: SkippedMember | undefined
  #skipStart = -1
  #skipDepth = 0

  constructor(bytes: Uint8Array, rules: CutRules) {
    this.#bytes = bytes
    this.#rules = rules
  }

  /** The text ends inside a string. */
  get isUnclosed(): boolean {
    return this.#stringStart >= 0 && this.#at >= this.#bytes.length
  }

  /** Reads about this many more bytes; returns true at the end. */
  run(bytes: number): boolean {
    const end = Math.min(this.#bytes.length, this.#at + bytes)
    while (this.#at < end && !this.isBroken) {
      if (this.#stringStart >= 0) this.#readString(end)
      else this.#readBetween(end)
    }
    return this.isBroken || this.#at >= this.#bytes.length
  }

  #readBetween(end: number): void {
    const bytes = this.#bytes
    let at = this.#at
    for (; at < end; at += 1) {
      const code = bytes[at] ?? 0
      if (code === quote) {
        at += 1
        this.#stringStart = at
        this.#before = at
        this.#between = at
        break
      }
      if (code === openBrace || code === openBracket) this.#open(at)
      else if (code === closeBrace || code === closeBracket) this.#close(at)
      // Only a colon may follow the name. Any value that is not a string, an object or a list cancels the skip.
      else if (this.#skipNext && code > space && code !== colon) this.#skipNext = undefined
    }
    this.#at = at
  }

  #open(at: number): void {
    this.#depth += 1
    if (this.#skipNext && this.#skipStart < 0) {
      this.#skipStart = at
      this.#skipped = this.#skipNext
    }
    this.#skipNext = undefined
    if (this.#skipStart >= 0) this.#skipDepth += 1
  }

  #close(at: number): void {
    this.#depth -= 1
    if (this.#skipStart < 0 || !this.#skipped) return
    this.#skipDepth -= 1
    if (this.#skipDepth > 0) return
    this.cuts.push({ start: this.#skipStart, end: at + 1, kind: this.#skipped.kind })
    this.#skipStart = -1
  }

  #readString(end: number): void {
    const bytes = this.#bytes
    let at = this.#at
    let stride = this.#between + strideBytes
    while (at < end) {
      const code = bytes[at] ?? 0
      if (at >= stride && (code < 0x80 || code >= 0xc0)) {
        this.#before = this.#between
        this.#between = at
        stride = at + strideBytes
      }
      if (code === quote) {
        this.#at = at
        this.#endString(at)
        this.#at = at + 1
        return
      }
      if (code < 0x20) {
        this.isBroken = true
        return
      }
      if (code !== backslash) at += 1
      else if (isEscape(bytes, at)) at += escapeLength(bytes, at)
      else {
        this.isBroken = true
        return
      }
    }
    this.#at = at
  }

  #endString(end: number): void {
    const start = this.#stringStart
    this.#stringStart = -1
    this.#skipNext = undefined
    if (this.#skipStart >= 0) return
    const { fileBytesMin, stringBytesMin, skipped } = this.#rules
    if (end - start < fileBytesMin) {
      this.#skipNext = skipped.find(
        ({ name, depthMax }) => this.#depth <= depthMax && this.#isNamed(start, end, name),
      )
      return
    }
    if (end - start < stringBytesMin && !this.#looksLikeFile(start)) return
    const cutStart = this.#behind(start, start + endBytes)
    const cutEnd = this.#behind(this.#before, end - endBytes)
    if (cutStart < cutEnd && cutEnd < end) {
      this.cuts.push({ start: cutStart, end: cutEnd, kind: 'text' })
    }
  }

  #isNamed(start: number, end: number, name: string): boolean {
    if (end - start !== name.length) return false
    for (let index = 0; index < name.length; index += 1) {
      if (this.#bytes[start + index] !== name.charCodeAt(index)) return false
    }
    return true
  }

  #looksLikeFile(start: number): boolean {
    const head = this.#bytes.subarray(start, start + endBytes)
    return fileHead.test(String.fromCharCode(...head).replaceAll('\\/', '/'))
  }

  /** The first character boundary at or after `there`, counted from the known boundary `from`. */
  #behind(from: number, there: number): number {
    const bytes = this.#bytes
    let at = from
    while (at < there || isInside(bytes[at])) {
      at += bytes[at] === backslash ? escapeLength(bytes, at) : 1
    }
    return at
  }
}

/** Whether the byte continues the character before it. */
function isInside(code: number | undefined): boolean {
  return code !== undefined && code >= 0x80 && code < 0xc0
}

const escapedLetters = new Set(Array.from('"\\\\/bfnrt', (letter) => letter.charCodeAt(0)))

function isEscape(bytes: Uint8Array, at: number): boolean {
  const code = bytes[at + 1] ?? 0
  if (code !== letterU) return escapedLetters.has(code)
  for (let index = at + 2; index < at + 6; index += 1) if (!isHex(bytes[index] ?? 0)) return false
  return true
}

function isHex(code: number): boolean {
  const letter = code | 0x20
  return (code >= 0x30 && code <= 0x39) || (letter >= 0x61 && letter <= 0x66)
}

function escapeLength(bytes: Uint8Array, at: number): number {
  return bytes[at + 1] === letterU ? 6 : 2
}
