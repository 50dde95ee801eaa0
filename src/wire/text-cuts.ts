import { turns } from '../core/runtime/turns.ts'
import type { CutStore } from './cut-store.ts'

/** The middle of a long string, cut out of a JSON text and replaced with a mark. */
export interface TextCut {
  /** Position of the mark in the remaining text, and the mark's length. */
  readonly at: number
  readonly markLength: number
  /** The bytes that were cut out: UTF-8, escaped as received, cut between two characters. */
  readonly bytes: Uint8Array
  /** Known once the cut has been read: its escaped length, its unescaped length, and its escape sequences. */
  characters: number
  meantCharacters: number
  escapes: number
}

const encoder = new TextEncoder()
/** Steps per turn: some milliseconds of work. */
const stepsATurn = 4_000
const decoder = new TextDecoder()

/** A string with a part cut out, for readers that need only a sample. The string is never joined. */
export class CutString {
  /** The beginning of the string. */
  readonly head: string
  readonly length: number
  readonly #cut: TextCut

  /** `left`: the rest of the string, with the mark. */
  constructor(left: string, markAt: number, cut: TextCut) {
    this.head = left.slice(0, markAt)
    this.length = left.length - cut.markLength + cut.meantCharacters
    this.#cut = cut
  }

  /**
   * About the characters from `start` to `end`, close enough for an estimate: characters may have several bytes or be
   * escaped, and both ends are assumed to resemble the middle.
   */
  slice(start: number, end: number): string {
    const { bytes } = this.#cut
    const bytesEach = bytes.length / this.length
    const from = Math.floor(start * bytesEach)
    const piece = decoder.decode(bytes.subarray(from, Math.ceil(end * bytesEach)))
    return roughlyUnescaped(piece.replaceAll('\ufffd', ''))
  }
}

const escapeSequences = /\\(u([0-9a-fA-F]{4})|.)/g

/** Accepts a text that begins or ends inside an escape sequence. */
export function roughlyUnescaped(text: string): string {
  return text.replace(escapeSequences, (_, letter: string, code?: string) =>
    code === undefined
      ? (escapedLetters[letter] ?? letter)
      : String.fromCharCode(Number.parseInt(code, 16)),
  )
}

const escapedLetters: Readonly<Record<string, string>> = {
  b: '\b',
  f: '\f',
  n: '\n',
  r: '\r',
  t: '\t',
}

/**
 * The parts cut out of a long text, so that the whole text is never held or copied as one string. A string of 33
 * million characters takes 67 MB as soon as one character is beyond Latin-1, and filling that much new memory blocks
 * the event loop for too long.
 */
export class TextCuts {
  /** The whole text as received. */
  readonly bytes: Uint8Array
  /** In order of position. */
  readonly list: readonly TextCut[]
  readonly #store: CutStore

  constructor(bytes: Uint8Array, list: readonly TextCut[], store: CutStore) {
    this.bytes = bytes
    this.list = list
    this.#store = store
  }

  /** Replaces the marks in an encoded text, in turns, without copying the parts that were cut out. */
  async fill(written: string): Promise<Uint8Array[]> {
    const filled: Uint8Array[] = []
    await turns.next()
    let steps = 0
    for (const pieces of this.#store.pieces(encoder.encode(written))) {
      filled.push(...pieces)
      steps += 1
      if (steps % stepsATurn === 0) await turns.next()
    }
    return filled
  }

  /** For a text that is known to fit in one string. */
  fillText(written: string): string {
    return this.#store.fillText(written)
  }

  /** The cut string for a text that contains a mark; undefined without a mark. */
  find(left: string): CutString | undefined {
    const mark = this.#store.findMark(left)
    const cut = mark && this.list[mark.index]
    return cut && new CutString(left, mark.at, cut)
  }

  /** The length of the result of `fill`. */
  byteLengthOf(written: string): number {
    return Buffer.byteLength(written) + this.#store.growthOf(written)
  }

  /** The number of characters that the whole text has beyond the remaining text. */
  get characters(): number {
    let characters = 0
    for (const cut of this.list) characters += cut.characters - cut.markLength
    return characters
  }
}
