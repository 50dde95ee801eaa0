import type { Socket } from 'bun'
import { type BodyFramer, bodyFramerFor } from '../wire/body-framer.ts'
import { ReplyHead } from '../wire/reply-head.ts'
import { type BodyPieces, piecesOf } from './body-pieces.ts'
import { decodedBody } from './decoded-body.ts'
import { type BodySource, QueuedBody } from './queued-body.ts'
import { OutgoingFailure, type UpstreamResponse } from './reply.ts'
import type { StopSwitch } from './stop-switch.ts'

const headBytesMax = 64 * 1024
/** Responses with a status below 200 before the response. */
const interimMax = 100
/**
 * A longer request is encoded to bytes first, so that the part that the socket does not accept needs no second
 * encoding.
 */
const textLengthMax = 16 * 1024

/** One request, and the callbacks for its reply. */
export interface Sending {
  readonly head: string
  /** Whether the head is ASCII. A field may contain other bytes, which must not be encoded as text. */
  readonly isPlain: boolean
  /** Pieces are released as they are written: they may be large, and the reply may take long. */
  body: string | readonly Uint8Array[]
  readonly bodyBytes: number
  /** The request must not use a connection that has carried a request before. */
  readonly isFresh: boolean
  readonly stop: StopSwitch
  readonly resolve: (reply: UpstreamResponse) => void
  readonly reject: (failure: OutgoingFailure) => void
}

/** Callbacks of a connection to its pool. */
export interface ConnectionOwner {
  /** The connection can carry another request. */
  rest(connection: Connection): void
  forget(connection: Connection): void
}

/**
 * One connection to an upstream: one request at a time, each written once. Any failure ends the request and the
 * connection. Nothing is repeated here.
 */
export class Connection implements BodySource {
  idleSinceMs = 0
  /** How long the upstream says it keeps the connection open. */
  keptMs: number | undefined
  readonly #socket: Socket<unknown>
  readonly #owner: ConnectionOwner
  #sending: Sending | undefined
  #unsent: Uint8Array | undefined
  /** The unwritten rest of the body. */
  #pieces: BodyPieces | undefined
  #headBytes: Buffer | undefined
  #interim = 0
  #framer: BodyFramer | undefined
  #body: QueuedBody | undefined
  #mayRest = false
  /** The connection has carried a request before. */
  #isUsed = false
  #isClosed = false

  constructor(socket: Socket<unknown>, owner: ConnectionOwner) {
    this.#socket = socket
    this.#owner = owner
  }

  send(sending: Sending): void {
    this.#sending = sending
    sending.stop.onStop = () =>
      this.#fail(new OutgoingFailure('it was stopped', { kind: 'stopped' }))
    const { head, body, bodyBytes, isPlain } = sending
    const pieces = piecesOf(body)
    if (typeof body !== 'string' || pieces) {
      sending.body = ''
      this.#pieces = pieces
      this.#write(Buffer.from(head, 'latin1'))
      this.#writePieces()
      return
    }
    const text = head + body
    if (!isPlain) {
      this.#write(Buffer.concat([Buffer.from(head, 'latin1'), Buffer.from(body)]))
    } else if (text.length > textLengthMax) {
      this.#write(Buffer.from(text))
    } else {
      const written = this.#socket.write(text)
      if (written < head.length + bodyBytes) this.#keepUnsent(Buffer.from(text), written)
    }
  }

  onDrain(): void {
    const unsent = this.#unsent
    this.#unsent = undefined
    if (unsent) this.#write(unsent)
    this.#writePieces()
  }

  onData(bytes: Buffer): void {
    try {
      const rest = this.#framer ? bytes : this.#readHead(bytes)
      if (rest) this.#readBody(rest)
    } catch (error) {
      const why = error instanceof Error ? error.message : String(error)
      this.#fail(new OutgoingFailure(why, { kind: 'bad_answer', cause: error }))
    }
  }

  onClose(): void {
    if (this.#isClosed) return
    if (this.#framer?.endsWithConnection) {
      this.#isClosed = true
      this.#body?.end()
      this.#letGo()
      this.#owner.forget(this)
      return
    }
    this.#fail(this.#body ? cutShort() : this.#unanswered())
  }

  pause(): void {
    this.#socket.pause()
  }

  resume(): void {
    if (!this.#isClosed) this.#socket.resume()
  }

  abandon(): void {
    this.#fail(new OutgoingFailure('its answer is no longer wanted', { kind: 'stopped' }))
  }

  /** For a connection that carries no request. */
  close(): void {
    this.#isClosed = true
    this.#socket.end()
  }

  hold(): void {
    this.#socket.ref()
  }

  /**
   * A server that closes an idle connection cannot know that a request is on its way, so this case is reported as
   * stale.
   */
  #unanswered(): OutgoingFailure {
    return this.#isUsed && this.#headBytes === undefined
      ? new OutgoingFailure('the kept connection was closed before an answer began', {
          kind: 'stale_connection',
        })
      : new OutgoingFailure('the connection was closed unanswered', {
          kind: 'closed_before_answer',
        })
  }

  /** Writes one piece in each round of the event loop, as long as the socket accepts them. */
  #writePieces(): void {
    const pieces = this.#pieces
    if (!pieces || this.#unsent || this.#isClosed) return
    if (!pieces.isEmpty) this.#write(pieces.take())
    if (pieces.isEmpty) this.#pieces = undefined
    else if (!this.#unsent) setImmediate(() => this.#writePieces())
  }

  #write(bytes: Uint8Array): void {
    const written = this.#socket.write(bytes)
    if (written < bytes.length) this.#keepUnsent(bytes, written)
  }

  /** `write` returns a negative count when the socket is already closed. */
  #keepUnsent(bytes: Uint8Array, written: number): void {
    this.#unsent = written > 0 ? bytes.subarray(written) : bytes
  }

  /** Returns the bytes after the head; undefined while the head is incomplete. */
  #readHead(bytes: Buffer): Buffer | undefined {
    // No request is waiting. A server that sends unrequested bytes cannot be trusted with the next request.
    if (!this.#sending) {
      this.#fail(new OutgoingFailure('it sent an answer without a request', { kind: 'bad_answer' }))
      return undefined
    }
    const all = this.#headBytes ? Buffer.concat([this.#headBytes, bytes]) : bytes
    for (let from = 0; ; ) {
      const end = headEnd(all, from)
      if (end < 0) {
        if (all.length - from > headBytesMax) throw new Error('the head of its answer is too long')
        this.#headBytes = from === 0 ? all : all.subarray(from)
        return undefined
      }
      const head = new ReplyHead(all.toString('latin1', from, end))
      from = all[end] === carriageReturn ? end + 2 : end + 1
      // Statuses below 200 are interim responses.
      if (head.status >= 200) {
        this.#headBytes = undefined
        this.#interim = 0
        this.#begin(head)
        return all.subarray(from)
      }
      if (head.status === 101) throw new Error('it switched protocols without being asked')
      this.#interim += 1
      if (this.#interim > interimMax) throw new Error('it sent too many interim responses')
    }
  }

  #begin(head: ReplyHead): void {
    const { status } = head
    this.#framer = bodyFramerFor(head.framing())
    this.#mayRest = head.isKeptAlive && !this.#framer.endsWithConnection
    this.keptMs = head.keptAliveMs
    const body = new QueuedBody(this)
    this.#body = body
    const decoded = decodedBody(body, head.get('content-encoding'))
    this.#sending?.resolve({ status, headers: head, body: decoded })
  }

  #readBody(bytes: Buffer): void {
    const framer = this.#framer
    const body = this.#body
    if (!framer || !body) return
    const taken = framer.push(bytes, (piece) => body.put(piece))
    if (!framer.isComplete) return
    body.end()
    const mayRest = this.#mayRest && taken === bytes.length && this.#isWritten
    this.#letGo()
    if (mayRest) {
      this.#isUsed = true
      this.#socket.unref()
      this.#owner.rest(this)
    } else {
      this.#owner.forget(this)
      this.close()
    }
  }

  get #isWritten(): boolean {
    return this.#unsent === undefined && this.#pieces === undefined
  }

  #letGo(): void {
    if (this.#sending) this.#sending.stop.onStop = undefined
    this.#sending = undefined
    this.#framer = undefined
    this.#body = undefined
  }

  #fail(failure: OutgoingFailure): void {
    if (this.#isClosed) return
    this.#isClosed = true
    const body = this.#body
    const sending = this.#sending
    this.#unsent = undefined
    this.#pieces = undefined
    this.#letGo()
    this.#owner.forget(this)
    this.#socket.terminate()
    if (body) body.fail(failure)
    else sending?.reject(failure)
  }
}

function cutShort(): OutgoingFailure {
  return new OutgoingFailure('the connection was closed before the answer was complete', {
    kind: 'cut_short',
  })
}

const carriageReturn = 13

/** Start of the blank line that ends a head. Some servers send no carriage returns. */
function headEnd(bytes: Buffer, from: number): number {
  const end = bytes.indexOf('\r\n\r\n', from, 'latin1')
  // The body after the head may contain blank lines of the other kind.
  const before = end < 0 ? bytes : bytes.subarray(0, end)
  const bare = before.indexOf('\n\n', from, 'latin1')
  if (bare >= 0) return bare + 1
  return end < 0 ? -1 : end + 2
}
