import { turns } from '../core/turns.ts'
import type { CutBook } from './cut-book.ts'

/** The middle of a long string, which was taken out of a JSON text and left a mark there. */
export interface TextCut {
  /** Where the mark begins in the text that is left, and how long it is. */
  readonly at: number
  readonly markLength: number
  /** What it stands for: UTF-8, escaped as it came, cut between two characters. */
  readonly bytes: Uint8Array
  /** Known when it has been read: how long this is as it is escaped, and as it is meant; its escape sequences. */
  characters: number
  meantCharacters: number
  escapes: number
}

const encoder = new TextEncoder()
/** Of one turn: some milliseconds of work. */
const stepsATurn = 4_000
const decoder = new TextDecoder()

/** A string with a part that was taken out, for who wants to look at some of it: it is never put together. */
export class CutString {
  /** The beginning of it. */
  readonly head: string
  readonly length: number
  readonly #cut: TextCut

  /** `left`: what is left of it, with the mark. */
  constructor(left: string, markAt: number, cut: TextCut) {
    this.head = left.slice(0, markAt)
    this.length = left.length - cut.markLength + cut.meantCharacters
    this.#cut = cut
  }

  /**
   * A piece of about so many characters at about that place, near enough for an estimate: characters may have several
   * bytes or be escaped, and both ends are taken for the same as what lies between them.
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

/** Also of a text that begins or ends inside of an escape sequence. */
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
 * What was taken out of a long text, so that nobody has to hold or copy all of it as one string: a string of 33 million
 * characters takes 67 MB as soon as one of them is beyond Latin-1, and to fill new memory of that size takes longer than
 * a request may keep the event loop.
 */
export class TextCuts {
  /** The whole, as it came. */
  readonly bytes: Uint8Array
  /** In the order in which they stand. */
  readonly list: readonly TextCut[]
  readonly #book: CutBook

  constructor(bytes: Uint8Array, list: readonly TextCut[], book: CutBook) {
    this.bytes = bytes
    this.list = list
    this.#book = book
  }

  /** What was written with marks in it, as it goes out: in turns. Nothing that was taken out is copied. */
  async fill(written: string): Promise<Uint8Array[]> {
    const filled: Uint8Array[] = []
    await turns.next()
    let steps = 0
    for (const pieces of this.#book.pieces(encoder.encode(written))) {
      filled.push(...pieces)
      steps += 1
      if (steps % stepsATurn === 0) await turns.next()
    }
    return filled
  }

  /** For a text that is known to be short enough for one string. */
  fillText(written: string): string {
    return this.#book.fillText(written)
  }

  /** A string that has the mark of a cut in it; undefined for one that has none. */
  find(left: string): CutString | undefined {
    const place = this.#book.findMark(left)
    const cut = place && this.list[place.index]
    return cut && new CutString(left, place.at, cut)
  }

  /** How long `fill` makes it. */
  byteLengthOf(written: string): number {
    return Buffer.byteLength(written) + this.#book.growthOf(written)
  }

  /** How many characters more the whole has than the text that is left. */
  get characters(): number {
    let characters = 0
    for (const cut of this.list) characters += cut.characters - cut.markLength
    return characters
  }
}
