import { findLineEnd } from './line-end.ts'

const lineFeed = 0x0a
const colon = 0x3a
const space = 0x20

/** Nobody divides an event into more lines. */
const dataLinesMax = 100_000

const newline = new Uint8Array([lineFeed])
const decoder = new TextDecoder()

/** The fields of one long event, read in slices and without making a string of its data; see `readFields`. */
export class LongFields {
  event: string | undefined
  /** What its `data:` lines hold, with line feeds between them; empty when it has none. */
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

  /** Reads about so many bytes more, and the line that it is in then; true at the end. */
  run(count: number): boolean {
    const bytes = this.#bytes
    const end = Math.min(bytes.length, this.#at + count)
    let at = this.#at
    for (; at < end && !this.hasTooManyLines; at += 1) {
      at = findLineEnd(bytes, at)
      if (at >= bytes.length) break
      // The line between the two halves of CRLF is empty, and means nothing.
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

/** Where the value of a field stands, if the line is of this field. */
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
