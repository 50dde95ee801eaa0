import { carriageReturn, lineFeed } from './char-codes.ts'
import type { MemberSpan } from './find-members.ts'
import { parseJson } from './json.ts'
import { findLineEnd } from './line-end.ts'

/** A CR is compared with this many bytes before it. */
const lookedBack = 2

/** One event of a stream as received, including its blank line. */
export interface SseFrame {
  readonly bytes: Uint8Array
  /** The `event:` field, if there is one. */
  readonly event: string | undefined
  /** The `data:` lines joined by line feeds; undefined for a comment or an event without data. */
  readonly data: string | undefined
  /** The event is too long to read at once: its name and data have not been read. */
  readonly isLong?: boolean
  /** For a long event: the bytes before `bytes`, not joined. */
  readonly before?: readonly Uint8Array[]
  /** The parsed data, if the data has been parsed already. */
  readonly value?: unknown
  /** The positions of the data's members, if they have been located already. */
  readonly members?: ReadonlyMap<string, MemberSpan>
  /** Long texts were cut out of the data and replaced with marks. */
  readonly isCut?: boolean
  /** The estimated tokens of the texts that were cut out. */
  readonly cutTokens?: number
}

/** The parsed data of an event; undefined when the data is not JSON. */
export function dataOf({ data, value }: SseFrame): unknown {
  if (value !== undefined) return value
  return data === undefined ? undefined : parseJson(data)
}

export class SseFrameTooLarge extends Error {
  override readonly name = 'SseFrameTooLarge'
}

/**
 * Without `ignoreBOM` the decoder would remove a byte order mark from every event; only the stream may begin with one.
 */
const decoder = new TextDecoder('utf-8', { ignoreBOM: true })

/**
 * Splits a byte stream into server-sent events, whatever pieces the stream arrives in: lines may end in LF, CRLF or CR,
 * and a piece may end inside a character. Bytes are scanned once. An unfinished event is kept in a buffer that doubles
 * as it grows, and a long event in a list of such buffers, so that no long copy happens at once. Neither exceeds
 * `frameBytesMax`: an endless line is an error and not a memory leak.
 */
export class SseFramer {
  readonly #frameBytesMax: number
  readonly #longFrameBytes: number
  /** The bytes of an event that is known to be long, without the bytes in `#kept`. */
  #before: Uint8Array[] = []
  #beforeBytes = 0
  #kept: Uint8Array = new Uint8Array(0)
  #keptLength = 0
  #scanned = 0
  #lineIsEmpty = true
  #afterReturn = false
  #isFirst = true
  #unread: Uint8Array | undefined

  /** Events of more than `longFrameBytes` are split off but not read. */
  constructor(frameBytesMax: number, longFrameBytes = frameBytesMax) {
    this.#frameBytesMax = frameBytesMax
    this.#longFrameBytes = longFrameBytes
  }

  /** Bytes of an event that has begun and not ended. */
  get unfinishedBytes(): number {
    return this.#beforeBytes + this.#keptLength
  }

  /**
   * The part of the last piece that was not scanned because the piece contained enough events; push this part again.
   */
  get unread(): Uint8Array | undefined {
    return this.#unread
  }

  push(chunk: Uint8Array, framesMax = Number.MAX_SAFE_INTEGER): SseFrame[] {
    const bytes = this.#keptLength === 0 ? chunk : this.#append(chunk)
    const frames: SseFrame[] = []
    const { length } = bytes
    let frameStart = 0
    let index = this.#scanned
    for (; index < length && frames.length < framesMax; index += 1) {
      const code = bytes[index]
      if (code !== lineFeed && code !== carriageReturn) {
        this.#afterReturn = false
        this.#lineIsEmpty = false
        index = findLineEnd(bytes, index + 1) - 1
        continue
      }
      if (code === lineFeed && this.#afterReturn) {
        // The LF of a CRLF belongs to the line that the CR has already ended.
        this.#afterReturn = false
        if (frameStart === index) frameStart = this.#joinToLast(frames, bytes, index)
        continue
      }
      if (code === carriageReturn && this.#isHalfEnd(bytes, frameStart, index)) break
      this.#afterReturn = code === carriageReturn
      if (!this.#lineIsEmpty) {
        this.#lineIsEmpty = true
      } else {
        frames.push(this.#frame(bytes.subarray(frameStart, index + 1)))
        frameStart = index + 1
      }
    }
    const hasEnough = frames.length >= framesMax && frameStart === index && index < length
    this.#unread = hasEnough ? bytes.subarray(index) : undefined
    this.#keep(hasEnough ? bytes.subarray(0, index) : bytes, frameStart)
    this.#scanned = index - frameStart
    return frames
  }

  /** The piece ends inside the blank line of a stream with CRLF. The LF that follows belongs to the same event. */
  #isHalfEnd(bytes: Uint8Array, frameStart: number, index: number): boolean {
    return (
      this.#lineIsEmpty &&
      index + 1 === bytes.length &&
      index - 2 >= frameStart &&
      bytes[index - 1] === lineFeed &&
      bytes[index - 2] === carriageReturn
    )
  }

  /** The bytes of an unfinished event; for a long event only the last of them. */
  rest(): Uint8Array {
    return this.#kept.subarray(0, this.#keptLength)
  }

  /**
   * The LF of a CRLF whose CR closed an event belongs to that event. If the event has been handed out, the LF goes
   * before the next event.
   */
  #joinToLast(frames: SseFrame[], bytes: Uint8Array, index: number): number {
    const last = frames.pop()
    if (!last) return index
    frames.push({ ...last, bytes: bytes.subarray(index - last.bytes.length, index + 1) })
    return index + 1
  }

  #append(chunk: Uint8Array): Uint8Array {
    if (this.#keptLength > this.#longFrameBytes) return this.#appendLong(chunk)
    const length = this.#keptLength + chunk.length
    if (length > this.#kept.length) {
      const doubled = Math.min(this.#kept.length * 2, this.#frameBytesMax + chunk.length)
      const grown = new Uint8Array(Math.max(length, doubled))
      grown.set(this.#kept.subarray(0, this.#keptLength))
      this.#kept = grown
    }
    this.#kept.set(chunk, this.#keptLength)
    this.#keptLength = length
    return this.#kept.subarray(0, length)
  }

  /** Moves the kept bytes aside, except for the bytes that the next byte is compared with. */
  #appendLong(chunk: Uint8Array): Uint8Array {
    const aside = this.#keptLength - lookedBack
    this.#before.push(this.#kept.subarray(0, aside))
    this.#beforeBytes += aside
    const kept = new Uint8Array(lookedBack + chunk.length)
    kept.set(this.#kept.subarray(aside, this.#keptLength))
    kept.set(chunk, lookedBack)
    this.#kept = kept
    this.#keptLength = kept.length
    this.#scanned -= aside
    return kept
  }

  #keep(bytes: Uint8Array, frameStart: number): void {
    const length = bytes.length - frameStart
    if (this.#beforeBytes + length > this.#frameBytesMax) {
      throw new SseFrameTooLarge(`an event is larger than ${this.#frameBytesMax} bytes`)
    }
    // Frames handed out are views of the old buffer, so the kept bytes move to a new buffer instead of shifting.
    if (frameStart > 0 || this.#keptLength === 0) this.#kept = bytes.slice(frameStart)
    this.#keptLength = length
  }

  #frame(bytes: Uint8Array): SseFrame {
    if (this.#beforeBytes + bytes.length > this.#longFrameBytes) {
      this.#isFirst = false
      const before = this.#before
      this.#before = []
      this.#beforeBytes = 0
      return { bytes, before, event: undefined, data: undefined, isLong: true }
    }
    let text = decoder.decode(bytes)
    if (this.#isFirst && text.charCodeAt(0) === 0xfeff) text = text.slice(1)
    this.#isFirst = false
    const { event, data } = readFields(text)
    return { bytes, event, data }
  }
}

export function readFields(text: string): { event: string | undefined; data: string | undefined } {
  if (text.startsWith('data: ') && text.indexOf('\n') === text.length - 2 && !text.includes('\r')) {
    return { event: undefined, data: text.slice(6, -2) }
  }
  let event: string | undefined
  let data: string | undefined
  for (const line of text.split(/\r\n|\n|\r/)) {
    const colon = line.indexOf(':')
    if (colon === 0 || line === '') continue
    const name = colon < 0 ? line : line.slice(0, colon)
    const raw = colon < 0 ? '' : line.slice(colon + 1)
    const value = raw.startsWith(' ') ? raw.slice(1) : raw
    if (name === 'data') data = data === undefined ? value : `${data}\n${value}`
    else if (name === 'event') event = value
  }
  return { event, data }
}
