import type { BodyFraming } from './reply-head.ts'

/** The body does not match the framing that its head declares. */
export class BadReplyBody extends Error {
  override readonly name = 'BadReplyBody'
}

/** Removes the transfer framing from a body, piece by piece as the body arrives. */
export interface BodyFramer {
  /** Whether the whole body has arrived. */
  readonly isComplete: boolean
  /** Whether the end of the connection ends the body. */
  readonly endsWithConnection: boolean
  /** Passes the bytes of the body to `onPiece`; returns how many bytes the framer consumed. */
  push(bytes: Uint8Array, onPiece: (piece: Uint8Array) => void): number
}

export function bodyFramerFor(framing: BodyFraming): BodyFramer {
  switch (framing.kind) {
    case 'none':
      return new LengthFramer(0)
    case 'length':
      return new LengthFramer(framing.bytes)
    case 'chunked':
      return new ChunkFramer()
    case 'until-close':
      return new CloseFramer()
  }
}

class LengthFramer implements BodyFramer {
  readonly endsWithConnection = false
  #leftBytes: number

  constructor(bytes: number) {
    this.#leftBytes = bytes
  }

  get isComplete(): boolean {
    return this.#leftBytes === 0
  }

  push(bytes: Uint8Array, onPiece: (piece: Uint8Array) => void): number {
    const taken = Math.min(bytes.length, this.#leftBytes)
    if (taken === 0) return 0
    this.#leftBytes -= taken
    onPiece(taken === bytes.length ? bytes : bytes.subarray(0, taken))
    return taken
  }
}

class CloseFramer implements BodyFramer {
  readonly endsWithConnection = true
  readonly isComplete = false

  push(bytes: Uint8Array, onPiece: (piece: Uint8Array) => void): number {
    if (bytes.length > 0) onPiece(bytes)
    return bytes.length
  }
}

/** Limit of a chunk-size line with its extensions, and of one trailer line. */
const lineBytesMax = 8 * 1024
const trailerLinesMax = 100
const lineFeed = 10
const sizeLine = /^([0-9a-fA-F]{1,13})[ \t]*(?:;.*)?$/s

type ChunkState = 'size' | 'data' | 'data-end' | 'trailer' | 'complete'

class ChunkFramer implements BodyFramer {
  readonly endsWithConnection = false
  #state: ChunkState = 'size'
  #leftBytes = 0
  #line = ''
  #trailerLines = 0

  get isComplete(): boolean {
    return this.#state === 'complete'
  }

  push(bytes: Uint8Array, onPiece: (piece: Uint8Array) => void): number {
    let at = 0
    while (at < bytes.length && this.#state !== 'complete') {
      at = this.#state === 'data' ? this.#data(bytes, at, onPiece) : this.#lineOf(bytes, at)
    }
    return at
  }

  #data(bytes: Uint8Array, from: number, onPiece: (piece: Uint8Array) => void): number {
    const to = Math.min(bytes.length, from + this.#leftBytes)
    onPiece(bytes.subarray(from, to))
    this.#leftBytes -= to - from
    if (this.#leftBytes === 0) this.#state = 'data-end'
    return to
  }

  #lineOf(bytes: Uint8Array, from: number): number {
    const end = bytes.indexOf(lineFeed, from)
    const to = end < 0 ? bytes.length : end
    if (this.#line.length + to - from > lineBytesMax)
      throw new BadReplyBody('a line between chunks is too long')
    for (let at = from; at < to; at += 1) this.#line += String.fromCharCode(bytes[at] ?? 0)
    if (end < 0) return to
    const line = this.#line.endsWith('\r') ? this.#line.slice(0, -1) : this.#line
    this.#line = ''
    this.#turn(line)
    return end + 1
  }

  #turn(line: string): void {
    switch (this.#state) {
      case 'size':
        this.#leftBytes = sizeOf(line)
        this.#state = this.#leftBytes === 0 ? 'trailer' : 'data'
        return
      case 'data-end':
        if (line !== '') throw new BadReplyBody('a chunk is longer than its size')
        this.#state = 'size'
        return
      default:
        this.#trailerLines += 1
        if (this.#trailerLines > trailerLinesMax) throw new BadReplyBody('its trailer is too long')
        if (line === '') this.#state = 'complete'
    }
  }
}

function sizeOf(line: string): number {
  const match = sizeLine.exec(line)
  if (!match) throw new BadReplyBody('a chunk has no size')
  return Number.parseInt(match[1] ?? '', 16)
}
