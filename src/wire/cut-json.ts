/** What is taken out of a JSON text: bytes [start, end) of it. */
export interface JsonCut {
  readonly start: number
  readonly end: number
  /** `text`: the middle of a string. Else the kind of a member that is skipped: a whole value, which reads as null. */
  readonly kind: 'text' | SkippedMember['kind']
}

/** A member whose value, an object or a list, is taken out. */
export interface SkippedMember {
  readonly name: string
  /** `detail`: of the answer itself. `echo`: the caller's own words, sent back. */
  readonly kind: 'detail' | 'echo'
  /** Only inside of so many objects and lists: deeper, names are those of the caller or the model. */
  readonly depthMax: number
}

export interface CutRules {
  /** A string of this many bytes is cut, whatever it holds. */
  readonly stringBytesMin: number
  /** A shorter one is cut when it looks like a file: one long word of base64. */
  readonly fileBytesMin: number
  readonly skipped: readonly SkippedMember[]
}

/** So much of both ends of a string stays, so that its kind can be told and nothing there has to be guessed. */
const endBytes = 192
/** The end of a string is looked for from here on: at least the bytes that stay, and no more than a few of these. */
const strideBytes = 1024

const quote = 0x22
const backslash = 0x5c
const letterU = 0x75

const fileHead = /^(?:data:[\w.+-]+\/[\w.+-]+;base64,)?[A-Za-z0-9+/_=-]+$/

/**
 * Finds the long strings of a JSON text without making a string of it: a body of tens of megabytes is mostly one
 * image. Works on bytes and in slices. Checks only what it takes out; the rest is for a reader of JSON.
 */
export class CutJson {
  readonly cuts: JsonCut[] = []
  /** A string that is taken out would not be valid JSON. */
  isBroken = false
  readonly #bytes: Uint8Array
  readonly #rules: CutRules
  #at = 0
  /** Where the inside of the string begins that is read now; -1 outside of strings. */
  #stringStart = -1
  /** Two places in that string between two characters. */
  #before = 0
  #between = 0
  #depth = 0
  /** The string that was read last is such a name: if a value follows, it is taken out. */
  #skipNext: SkippedMember | undefined
  #skipped: SkippedMember | undefined
  #skipStart = -1
  #skipDepth = 0

  constructor(bytes: Uint8Array, rules: CutRules) {
    this.#bytes = bytes
    this.#rules = rules
  }

  /** The end was reached inside of a string. */
  get isUnclosed(): boolean {
    return this.#stringStart >= 0 && this.#at >= this.#bytes.length
  }

  /** Reads about so many bytes more; true at the end. */
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
      if (code === 0x7b || code === 0x5b) this.#open(at)
      else if (code === 0x7d || code === 0x5d) this.#close(at)
      // A name is followed by a colon, and a value that is no string, object or list ends the wait for it.
      else if (this.#skipNext && code > 0x20 && code !== 0x3a) this.#skipNext = undefined
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

  /** The first place between two characters at or after there, counted from one such place. */
  #behind(from: number, there: number): number {
    const bytes = this.#bytes
    let at = from
    while (at < there || isInside(bytes[at])) {
      at += bytes[at] === backslash ? escapeLength(bytes, at) : 1
    }
    return at
  }
}

/** Whether the byte belongs to the character before. */
function isInside(code: number | undefined): boolean {
  return code !== undefined && code >= 0x80 && code < 0xc0
}

const escapedLetters = new Set(Array.from('"\\\\/bfnrt', (letter) => letter.charCodeAt(0)))

function isEscape(bytes: Uint8Array, at: number): boolean {
  const code = bytes[at + 1] ?? 0
  if (code !== letterU) return escapedLetters.has(code)
  for (let place = at + 2; place < at + 6; place += 1) if (!isHex(bytes[place] ?? 0)) return false
  return true
}

function isHex(code: number): boolean {
  const letter = code | 0x20
  return (code >= 0x30 && code <= 0x39) || (letter >= 0x61 && letter <= 0x66)
}

function escapeLength(bytes: Uint8Array, at: number): number {
  return bytes[at + 1] === letterU ? 6 : 2
}
