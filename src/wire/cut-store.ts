const encoder = new TextEncoder()
const indexDigits = 6
const base64Group = 4

/** UTF-8 of the line ends that Unicode defines and server-sent events do not; see `unbroken-lines.ts`. */
const lineEnds = [
  { bytes: Buffer.from('\u0085'), escaped: Buffer.from('\\u0085') },
  { bytes: Buffer.from('\u2028'), escaped: Buffer.from('\\u2028') },
  { bytes: Buffer.from('\u2029'), escaped: Buffer.from('\\u2029') },
]

interface Cut {
  readonly pieces: readonly Uint8Array[]
  readonly markLength: number
  /** The mark replaces a whole value, so `fill` also removes the quotes around the mark. */
  readonly isValue: boolean
}

/**
 * Long texts that were cut out of a request or of replies, each with a mark that replaces the text. A mark looks like
 * base64: a mark has only letters and digits, and its length equals the length of the text modulo four.
 */
export class CutStore {
  /** Random for each store, so neither a caller nor an upstream can forge a mark. */
  readonly #prefix: string
  readonly #needle: Buffer
  readonly #isVerbatim: boolean
  readonly #cuts: Cut[] = []

  /** `isVerbatim` is for bodies that are not translated: `fill` restores every byte. */
  constructor(mint: (prefix: string) => string, isVerbatim: boolean) {
    this.#isVerbatim = isVerbatim
    this.#prefix = mint('cut').replaceAll(/[^A-Za-z0-9]/g, '')
    this.#needle = Buffer.from(this.#prefix)
  }

  get isEmpty(): boolean {
    return this.#cuts.length === 0
  }

  /** Stores bytes from the inside of a JSON string; returns the mark, or undefined when the bytes must stay. */
  add(bytes: Uint8Array): string | undefined {
    const pieces = this.#isVerbatim ? [bytes] : unbroken(bytes)
    return pieces && this.#mark(bytes.length, pieces, false)
  }

  /** Stores a whole JSON value; the mark is a JSON string. */
  addValue(bytes: Uint8Array): string {
    return `"${this.#mark(bytes.length, [bytes], true)}"`
  }

  /** Stores the inside of a text that consists of several consecutive pieces. */
  addPieces(pieces: readonly Uint8Array[]): string {
    return this.#mark(0, pieces, false)
  }

  #mark(length: number, pieces: readonly Uint8Array[], isValue: boolean): string {
    const mark = this.#prefix + String(this.#cuts.length).padStart(indexDigits, '0')
    const excess = (length - mark.length) % base64Group
    const padded = mark + 'x'.repeat((excess + base64Group) % base64Group)
    this.#cuts.push({ pieces, markLength: padded.length, isValue })
    return padded
  }

  /** The marks that occur in a text. */
  *marksIn(text: string): Generator<string> {
    for (let at = text.indexOf(this.#prefix); at >= 0; at = text.indexOf(this.#prefix, at + 1)) {
      const digits = at + this.#prefix.length
      const cut = this.#cuts[Number(text.slice(digits, digits + indexDigits))]
      if (cut) yield text.slice(at, at + cut.markLength)
    }
  }

  /** The position of the first mark, and the mark's index in order of creation. */
  findMark(text: string): { readonly at: number; readonly index: number } | undefined {
    const at = text.indexOf(this.#prefix)
    return at < 0 ? undefined : { at, index: this.#indexOf(text.slice(at)) }
  }

  /** The number of bytes that `fill` adds to a text. */
  growthOf(text: string): number {
    let bytes = 0
    for (const mark of this.marksIn(text)) {
      const cut = this.#cuts[this.#indexOf(mark)]
      if (!cut) continue
      for (const piece of cut.pieces) bytes += piece.length
      bytes -= mark.length + (cut.isValue ? 2 : 0)
    }
    return bytes
  }

  #indexOf(mark: string): number {
    return Number(mark.slice(this.#prefix.length, this.#prefix.length + indexDigits))
  }

  /** Replaces each mark with its text, without copying the texts. */
  fill(written: Uint8Array): Uint8Array[] {
    return [...this.pieces(written)].flat()
  }

  /** Like `fill`, one mark at a time, for a caller with very many marks. */
  *pieces(written: Uint8Array): Generator<readonly Uint8Array[]> {
    const { buffer, byteOffset, length } = written
    const text = Buffer.from(buffer, byteOffset, length)
    let from = 0
    for (let at = text.indexOf(this.#needle); at >= 0; at = text.indexOf(this.#needle, from)) {
      const digits = at + this.#needle.length
      const cut = this.#cuts[Number(text.toString('latin1', digits, digits + indexDigits))]
      if (!cut) throw new Error('the text contains a mark that was never issued')
      const quoteBytes = cut.isValue ? 1 : 0
      if (at - quoteBytes > from) yield [written.subarray(from, at - quoteBytes)]
      yield cut.pieces
      from = at + cut.markLength + quoteBytes
    }
    if (from < length) yield [from === 0 ? written : written.subarray(from)]
  }

  fillText(text: string): string {
    return text.includes(this.#prefix)
      ? Buffer.concat(this.fill(encoder.encode(text))).toString()
      : text
  }
}

/** A text with more line ends than this is not cut out. */
const lineEndsMax = 1_000

/** The pieces of a text with Unicode line ends escaped; undefined when there are too many line ends. */
function unbroken(bytes: Uint8Array): Uint8Array[] | undefined {
  const { buffer, byteOffset, length } = bytes
  const text = Buffer.from(buffer, byteOffset, length)
  const places: { readonly at: number; readonly end: number; readonly escaped: Uint8Array }[] = []
  for (const { bytes: needle, escaped } of lineEnds) {
    for (let at = text.indexOf(needle); at >= 0; at = text.indexOf(needle, at + 1)) {
      if (places.length >= lineEndsMax) return undefined
      places.push({ at, end: at + needle.length, escaped })
    }
  }
  if (places.length === 0) return [bytes]
  const pieces: Uint8Array[] = []
  let from = 0
  for (const { at, end, escaped } of places.toSorted((one, other) => one.at - other.at)) {
    pieces.push(bytes.subarray(from, at), escaped)
    from = end
  }
  return [...pieces, bytes.subarray(from)]
}
