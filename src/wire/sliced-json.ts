import {
  backslash,
  carriageReturn,
  closeBrace,
  closeBracket,
  colon,
  comma,
  letterU,
  lineFeed,
  openBrace,
  openBracket,
  quote,
  space,
  tab,
} from './char-codes.ts'
import type { MemberSpan } from './find-members.ts'
import { isObject, type JsonObject, parseJson } from './json.ts'
import {
  type JsonLimits,
  protoRefused,
  repeatedName,
  tooDeep,
  tooLongNames,
  tooMany,
} from './json-limits.ts'
import type { TextCut } from './text-cuts.ts'

/** The work of one turn: a few milliseconds. */
export const unitsATurn = 16_000
/** A string is read in pieces of this many characters, so that one string cannot take a whole turn. */
const pieceCharacters = 64 * 1024
/** This many characters of a string cost as much work as one name or item. */
const charactersAUnit = 64
/** No client indents as far, and the whitespace of a whole body would take a turn of its own. */
const spacesMax = 64 * 1024

/** Shorter strings are not recorded. */
const longStringCharacters = 128

const numberPattern = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y

/** Position of the inside of a string in the text, in escaped form: [start, end). */
export interface StringSpan {
  readonly start: number
  readonly end: number
  /** The member names that lead to the string, without list indexes: `messages.content`. */
  readonly path: string
  /** The part of the string that was cut out of the text. */
  readonly cut: TextCut | undefined
}

interface Open {
  /** The member names that lead to the value, without list indexes: `messages.content`. */
  readonly path: string
  readonly value: Record<string, unknown> | unknown[]
  /** Undefined for a list. */
  readonly names: Set<string> | undefined
  name: string
  memberStart: number
  valueStart: number
}

/**
 * Reads one JSON text a slice at a time. Accepts the same language as `JSON.parse`, and refuses the same texts as
 * `scanJson`. Slower than both, so used only for texts that would block the event loop.
 */
export class SlicedJson {
  /** Why the text is refused. */
  problem: string | undefined
  /** The text is refused because of a name that two programs could read differently. */
  isAmbiguous = false
  /** Positions of the members of the outermost object. */
  readonly members = new Map<string, MemberSpan>()
  /** The long strings at the wanted paths. */
  readonly longStrings: StringSpan[] = []
  /** Escape sequences in strings: each costs much more than a character to read and to write. */
  escapes = 0
  readonly #text: string
  readonly #limits: JsonLimits
  readonly #isWanted: (path: string) => boolean
  readonly #cuts: readonly TextCut[]
  readonly #open: Open[] = []
  #at = 0
  #nodes = 0
  #nameCharacters = 0
  #stringStart = 0
  /** The number of cuts already passed, and the position within the current cut. */
  #cutsRead = 0
  #cutAt = 0
  /** The last cut of the current string. */
  #cut: TextCut | undefined
  #root: unknown
  #isDone = false
  /** The part already read of a string that is longer than a piece; undefined outside of such a string. */
  #string: string | undefined
  #isName = false

  /**
   * `isWanted`: whether long strings at this path are recorded. `cuts`: the parts that were cut out of the text. They
   * must be valid UTF-8 and valid inside a string; the reader treats them as if they were in place.
   */
  constructor(
    text: string,
    limits: JsonLimits,
    isWanted: (path: string) => boolean = () => false,
    cuts: readonly TextCut[] = [],
  ) {
    this.#text = text
    this.#limits = limits
    this.#isWanted = isWanted
    this.#cuts = cuts
  }

  get value(): JsonObject | undefined {
    return isObject(this.#root) ? this.#root : undefined
  }

  /** The text is refused because it is not JSON at all. */
  get isNotJson(): boolean {
    return this.problem === notJson || this.problem === notClosed
  }

  /** The parsed value, of any kind. */
  get root(): unknown {
    return this.#root
  }

  get nodes(): number {
    return this.#nodes
  }

  /** Does about this many units of work; returns true when the text is complete. */
  run(units: number): boolean {
    let left = units
    while (!this.#isDone && this.problem === undefined && left > 0) left -= this.#step()
    return this.#isDone || this.problem !== undefined
  }

  #step(): number {
    if (this.#string !== undefined) return this.#readPiece()
    this.#skipSpace()
    const top = this.#open.at(-1)
    if (!top) return this.#readRoot()
    return top.names ? this.#stepObject(top, top.names) : this.#stepList(top)
  }

  #readRoot(): number {
    if (this.#root === undefined && this.#at < this.#text.length) return this.#readValue()
    if (this.#at < this.#text.length || this.#root === undefined) return this.#refuse(notJson)
    this.#isDone = true
    return 1
  }

  #stepObject(top: Open, names: Set<string>): number {
    const code = this.#text.charCodeAt(this.#at)
    if (top.valueStart === -2) {
      top.valueStart = -1
      if (code === comma) {
        this.#at += 1
        this.#skipSpace()
        return this.#text.charCodeAt(this.#at) === quote ? 1 : this.#refuse(notJson)
      }
      return code === closeBrace ? this.#close() : this.#refuse(notJson)
    }
    if (top.memberStart >= 0) {
      if (code !== colon) return this.#refuse(notJson)
      this.#at += 1
      this.#skipSpace()
      top.valueStart = this.#at
      return this.#readValue()
    }
    if (code === closeBrace && names.size === 0) return this.#close()
    if (code !== quote) return this.#refuse(notJson)
    top.memberStart = this.#at
    this.#beginString(true)
    return 1
  }

  #stepList(top: Open): number {
    const code = this.#text.charCodeAt(this.#at)
    if (top.valueStart === -2) {
      top.valueStart = -1
      if (code === closeBracket) return this.#close()
      if (code !== comma) return this.#refuse(notJson)
      this.#at += 1
      this.#skipSpace()
    } else if (code === closeBracket) return this.#close()
    return this.#readValue()
  }

  #readValue(): number {
    this.#nodes += 1
    if (this.#nodes > this.#limits.nodesMax) return this.#refuse(tooMany(this.#limits.nodesMax))
    const code = this.#text.charCodeAt(this.#at)
    if (code === quote) this.#beginString(false)
    else if (code === openBrace || code === openBracket) this.#openNested(code === openBrace)
    else this.#readPlain()
    return 1
  }

  #openNested(isObjectNext: boolean): void {
    const { depthMax } = this.#limits
    if (this.#open.length >= depthMax) {
      this.#refuse(tooDeep(depthMax))
      return
    }
    this.#at += 1
    const value = isObjectNext ? {} : []
    const names = isObjectNext ? new Set<string>() : undefined
    const path = this.#pathHere()
    this.#open.push({ path, value, names, name: '', memberStart: -1, valueStart: -1 })
  }

  #readPlain(): void {
    for (const [word, value] of words) {
      if (!this.#text.startsWith(word, this.#at)) continue
      this.#at += word.length
      this.#put(value)
      return
    }
    numberPattern.lastIndex = this.#at
    const number = numberPattern.exec(this.#text)?.[0]
    if (number === undefined) {
      this.#refuse(notJson)
      return
    }
    this.#at += number.length
    this.#put(Number(number))
  }

  #beginString(isName: boolean): void {
    this.#at += 1
    this.#string = ''
    this.#isName = isName
    this.#stringStart = this.#at
    this.#cut = undefined
  }

  #readPiece(): number {
    const text = this.#text
    const start = this.#at
    const cut = this.#cuts[this.#cutsRead]
    if (cut?.at === start) return this.#readCut(cut)
    const end = Math.min(text.length, start + pieceCharacters, cut?.at ?? text.length)
    let at = start
    let isEscaped = false
    let code = 0
    for (; at < end; at += 1) {
      code = text.charCodeAt(at)
      if (code === quote) break
      if (code < 0x20) return this.#refuse(notJson)
      if (code !== backslash) continue
      isEscaped = true
      this.escapes += 1
      at += text.charCodeAt(at + 1) === letterU ? 5 : 1
    }
    const raw = text.slice(start, at)
    const piece = isEscaped ? parseJson(`"${raw}"`) : raw
    if (typeof piece !== 'string' || at >= text.length) return this.#refuse(notClosed)
    this.#string += piece
    this.#at = at
    if (code === quote && at < end) this.#endString()
    return 1 + Math.ceil((at - start) / charactersAUnit)
  }

  #readCut(cut: TextCut): number {
    const { bytes } = cut
    const start = this.#cutAt
    const { end, escapes } = pieceOf(bytes, start)
    const raw = decoder.decode(bytes.subarray(start, end))
    const piece = escapes > 0 ? parseJson(`"${raw}"`) : raw
    if (typeof piece !== 'string') return this.#refuse(notJson)
    this.#string += piece
    this.escapes += escapes
    cut.escapes += escapes
    cut.characters += raw.length
    cut.meantCharacters += piece.length
    this.#cutAt = end
    if (end === bytes.length) {
      this.#cut = cut
      this.#cutsRead += 1
      this.#cutAt = 0
      this.#at += cut.markLength
    }
    return 1 + Math.ceil((end - start) / charactersAUnit)
  }

  #endString(): void {
    let string = this.#string ?? ''
    // The runtime chains pieces until a string is first read. With very many strings, flatten them here, a few per
    // turn.
    if (this.#cut && string.length <= pieceCharacters) string = [string, ''].join('')
    this.#string = undefined
    this.#at += 1
    const top = this.#open.at(-1)
    if (!this.#isName || !top?.names) {
      if (this.#at - this.#stringStart > longStringCharacters) this.#noteLong()
      this.#put(string)
      return
    }
    this.#nameCharacters += string.length
    const { nameCharactersMax, isLenient = false } = this.#limits
    if (this.#nameCharacters > nameCharactersMax) this.#refuse(tooLongNames(nameCharactersMax))
    const { size } = top.names
    const isNew = top.names.add(string).size > size
    if (isLenient || (isNew && string !== '__proto__')) {
      top.name = string
      return
    }
    this.isAmbiguous = true
    this.#refuse(isNew ? protoRefused : repeatedName(string))
  }

  #noteLong(): void {
    const path = this.#pathHere()
    if (!this.#isWanted(path)) return
    this.longStrings.push({ start: this.#stringStart, end: this.#at - 1, path, cut: this.#cut })
  }

  /** The member names that lead to the current value. */
  #pathHere(): string {
    const top = this.#open.at(-1)
    if (!top?.names) return top?.path ?? ''
    return top.path === '' ? top.name : `${top.path}.${top.name}`
  }

  #close(): number {
    const closed = this.#open.pop()
    this.#at += 1
    this.#put(closed?.value)
    return 1
  }

  #put(value: unknown): void {
    const top = this.#open.at(-1)
    if (!top) {
      this.#root = value
      return
    }
    if (Array.isArray(top.value)) top.value.push(value)
    else {
      // Assigning this name would change the object's prototype. No reader needs the member.
      if (top.name !== '__proto__') top.value[top.name] = value
      if (this.#open.length === 1) {
        const { memberStart, valueStart } = top
        this.members.set(top.name, { memberStart, valueStart, valueEnd: this.#at })
      }
      top.memberStart = -1
    }
    top.valueStart = -2
  }

  #skipSpace(): void {
    for (const end = this.#at + spacesMax; this.#at < end; this.#at += 1) {
      const code = this.#text.charCodeAt(this.#at)
      if (code !== space && code !== lineFeed && code !== carriageReturn && code !== tab) return
    }
    this.#refuse(`it has more than ${spacesMax} spaces in a row`)
  }

  #refuse(problem: string): number {
    this.problem ??= problem
    return 1
  }
}

const decoder = new TextDecoder('utf-8', { ignoreBOM: true })

/** End of a piece of a string's inside that begins at `start`: always between two characters. */
function pieceOf(bytes: Uint8Array, start: number): { end: number; escapes: number } {
  const least = Math.min(bytes.length, start + pieceCharacters)
  let escapes = 0
  let at = least
  const first = bytes.subarray(start, least).indexOf(backslash)
  if (first >= 0) {
    for (at = start + first; at < least; ) {
      if (bytes[at] === backslash) {
        escapes += 1
        at += bytes[at + 1] === letterU ? 6 : 2
      } else at += 1
    }
  }
  while (isContinued(bytes[at])) at += 1
  return { end: at, escapes }
}

/** Whether the byte continues the character before it. */
function isContinued(code: number | undefined): boolean {
  return code !== undefined && code >= 0x80 && code < 0xc0
}

const words = [
  ['true', true],
  ['false', false],
  ['null', null],
] as const

const notJson = 'it is not valid JSON'
const notClosed = 'a string is not closed'
