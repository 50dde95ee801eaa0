import { colon, lineFeed, space } from './char-codes.ts'
import { findLineEnd } from './line-end.ts'

/** No real upstream splits an event into more lines. */
const dataLinesMax = 100_000

const newline = new Uint8Array([lineFeed])
const decoder = new TextDecoder()

/** The fields of one long event, read in slices and without converting the data to a string; see `readFields`. */
export class LongFields {
  event: string | undefined
  /** The content of the `data:` lines with line feeds between them; empty without such lines. */
  readonly data: Uint8Array[] = []
  hasTooManyLines = false
  readonly #bytes: Uint8Array
  #at = 0
  #lineStart = 0

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes
    const hasMark = bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf
    if (hasMark) {
      this.#at = 3
      this.#lineStart = 3
    }
  }

  /** Reads about this many more bytes, up to the end of the current line; returns true at the end. */
  run(count: number): boolean {
    const bytes = this.#bytes
    const end = Math.min(bytes.length, this.#at + count)
    let at = this.#at
    for (; at < end && !this.hasTooManyLines; at += 1) {
      at = findLineEnd(bytes, at)
      if (at >= bytes.length) break
      // The empty line between the CR and the LF of a CRLF has no meaning.
      if (at > this.#lineStart) this.#readLine(this.#lineStart, at)
      this.#lineStart = at + 1
    }
    this.#at = at
    return this.hasTooManyLines || at >= bytes.length
  }

  #readLine(start: number, end: number): void {
    const value = valueStart(this.#bytes, start, end, 'data')
    if (value !== undefined) {
      if (this.data.length > 0) this.data.push(newline)
      this.data.push(this.#bytes.subarray(value, end))
      this.hasTooManyLines = this.data.length > 2 * dataLinesMax
      return
    }
    const name = valueStart(this.#bytes, start, end, 'event')
    if (name !== undefined) this.event = decoder.decode(this.#bytes.subarray(name, end))
  }
}

/** Start of the field's value if the line is of this field. */
function valueStart(
  bytes: Uint8Array,
  start: number,
  end: number,
  name: string,
): number | undefined {
  for (let index = 0; index < name.length; index += 1) {
    if (bytes[start + index] !== name.charCodeAt(index)) return undefined
  }
  const at = start + name.length
  if (at === end) return end
  if (at > end || bytes[at] !== colon) return undefined
  return at + 1 < end && bytes[at + 1] === space ? at + 2 : at + 1
}
