import { gatherBody } from './gather-body.ts'
import type { OutgoingFailure, ReplyBody } from './reply.ts'

/**
 * Above this limit the connection is paused, so an upstream waits while the client does not read. One receive can
 * exceed the limit: by up to 160 KiB for a stream, see `receiveBytes` in opening.ts; by up to half a mebibyte for a
 * whole answer, which is read as it arrives.
 */
const queuedBytesMax = 32 * 1024

/** From this many pieces on, a read joins all of them. So many wait together only when they are tiny. */
const piecesMax = 64

/** The operations that a body needs from its connection. */
export interface BodySource {
  pause(): void
  resume(): void
  /** The body is no longer wanted. The connection cannot be reused. */
  abandon(): void
}

interface PieceWaiter {
  readonly resolve: (piece: Uint8Array | undefined) => void
  readonly reject: (failure: OutgoingFailure) => void
}

const ended: Promise<undefined> = Promise.resolve(undefined)

/** The queue between the connection that receives a body and the reader of the body. */
export class QueuedBody implements ReplyBody {
  readonly #source: BodySource
  #pieces: Uint8Array[] = []
  #queuedBytes = 0
  #isPaused = false
  #isEnded = false
  #failure: OutgoingFailure | undefined
  #waiter: PieceWaiter | undefined

  constructor(source: BodySource) {
    this.#source = source
  }

  put(piece: Uint8Array): void {
    const waiter = this.#waiter
    if (waiter) {
      this.#waiter = undefined
      waiter.resolve(piece)
      return
    }
    this.#pieces.push(piece)
    this.#queuedBytes += piece.length
    if (this.#queuedBytes > queuedBytesMax && !this.#isPaused) {
      this.#isPaused = true
      this.#source.pause()
    }
  }

  end(): void {
    this.#isEnded = true
    // The connection may carry another answer before this one is read.
    this.#goOn()
    this.#waiter?.resolve(undefined)
    this.#waiter = undefined
  }

  fail(failure: OutgoingFailure): void {
    if (this.#isEnded) return
    this.#isEnded = true
    this.#failure = failure
    this.#waiter?.reject(failure)
    this.#waiter = undefined
  }

  read(): Promise<Uint8Array | undefined> {
    const piece = this.#takePiece()
    if (piece) {
      this.#queuedBytes -= piece.length
      if (this.#queuedBytes === 0) this.#goOn()
      return Promise.resolve(piece)
    }
    if (this.#failure) return Promise.reject(this.#failure)
    if (this.#isEnded) return ended
    return new Promise((resolve, reject) => {
      this.#waiter = { resolve, reject }
    })
  }

  readWhole(bytesMax: number): Promise<Uint8Array<ArrayBuffer> | undefined> {
    const [piece] = this.#pieces
    // Nearly always the whole answer arrives in one piece with its head.
    const isAllThere = this.#isEnded && !this.#failure && this.#pieces.length === 1
    if (isAllThere && piece && piece.length <= bytesMax) {
      this.#pieces = []
      return Promise.resolve(piece as Uint8Array<ArrayBuffer>)
    }
    return gatherBody(this, bytesMax)
  }

  cancel(): void {
    this.#pieces = []
    this.#queuedBytes = 0
    if (!this.#isEnded) this.#source.abandon()
  }

  /** Joins many small pieces, because an upstream may send each byte as its own chunk. */
  #takePiece(): Uint8Array | undefined {
    const pieces = this.#pieces
    if (pieces.length < piecesMax) return pieces.shift()
    this.#pieces = []
    return Buffer.concat(pieces)
  }

  #goOn(): void {
    if (!this.#isPaused) return
    this.#isPaused = false
    this.#source.resume()
  }
}
