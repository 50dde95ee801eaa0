import type { RequestReason } from '../../core/codes.ts'
import type { Fault } from '../../core/fault.ts'
import type { UpstreamResponse } from '../../http-out/reply.ts'
import type { Settlement } from '../../ledger/ledger.ts'
import type { Slices } from '../admit/slices.ts'
import { ExchangeSettled, type ForwardDeps, noteAttempt, settle } from '../charge/settle.ts'
import type { Exchange } from '../exchange.ts'
import type { Attempt, ResponseSink } from '../forward/attempt.ts'
import { faultOfError } from '../forward/upstream-fault.ts'
import { limits } from '../limits.ts'
import { estimateHidden, measureHidden } from './hidden-reasoning.ts'
import { LastPieces } from './last-pieces.ts'
import { readRest } from './read-rest.ts'
import { replyStoredUpstream, storeReply } from './store-reply.ts'
import { earlyKeepAliveOf, keepAliveOf } from './stream-headers.ts'
import { type StreamRead, StreamSource } from './stream-source.ts'

const encoder = new TextEncoder()

/**
 * Asks another upstream for a stream that failed before its first event. Undefined when the client has disconnected;
 * throws the fault when no upstream answers. In both cases the request has been settled.
 */
export type RestartStream = (failed: StreamPass, fault: Fault) => Promise<StreamPass | undefined>

type Controller = ReadableStreamDefaultController<Uint8Array>

/** A streamed reply. Each event is passed on as it arrives; the last one is sent only after the request is settled. */
export class StreamPass implements ResponseSink {
  readonly attempt: Attempt
  readonly #exchange: Exchange
  readonly #source: StreamSource
  readonly #startOver: RestartStream
  readonly #deps: ForwardDeps
  readonly #keepAliveBytes: Uint8Array
  /** The keep-alive before the first event, which must not look like an event. */
  readonly #earlyKeepAliveBytes: Uint8Array
  /** Events before the first content. They are held back so that another upstream can still answer. */
  #held: Uint8Array[] = []
  #heldBytes = 0
  #isHolding = true
  /** The client waits for the response headers, which the server sends with the first bytes. */
  #mustSendHeaders = false
  #next: Promise<StreamRead> | undefined
  #controller: Controller | undefined
  #isPulling = false
  #lastSentMs = 0
  #isStopped = false
  /** Nothing more is read from this upstream. */
  #isOver = false
  /** Nothing more is written to the client. */
  #isClosed = false
  readonly #last = new LastPieces()
  #successor: StreamPass | undefined

  /** Throws the fault of a response that is not a stream. */
  constructor(
    exchange: Exchange,
    attempt: Attempt,
    response: UpstreamResponse,
    startOver: RestartStream,
    deps: ForwardDeps,
  ) {
    this.#exchange = exchange
    this.attempt = attempt
    this.#source = new StreamSource(exchange, attempt, response, deps)
    this.#startOver = startOver
    this.#deps = deps
    this.#keepAliveBytes = encoder.encode(keepAliveOf(exchange))
    this.#earlyKeepAliveBytes = encoder.encode(earlyKeepAliveOf(exchange))
  }

  /**
   * Reads up to the first content, or for a short while. A failure until then is thrown and can become a plain HTTP
   * error. After that, the client has the headers of a stream.
   */
  async begin(): Promise<void> {
    const beganMs = this.#deps.clock.monotonicMs()
    const timeout = new Promise<'timeout'>((resolve) => {
      this.attempt.watched.onTick = (nowMs) => {
        if (nowMs - beganMs >= limits.heldBackMs) resolve('timeout')
      }
    })
    while (this.#isHolding) {
      this.#next ??= this.#source.read()
      const read = await Promise.race([this.#next, timeout]).catch((error: unknown) => {
        // The client has disconnected and the gateway has stopped the attempt: settle the part that was read.
        if (this.attempt.hasLeft && this.attempt.stopReason !== undefined) return undefined
        throw error
      })
      if (read === undefined) break
      if (read === 'timeout') {
        this.#mustSendHeaders = true
        break
      }
      if (read.fault) throw await this.#failEarly(read.fault)
      if (read.terminator || read.hasContent) break
      this.#next = undefined
      this.#hold(read.pieces)
    }
    this.#watch()
  }

  readable(): ReadableStream<Uint8Array> {
    return new ReadableStream<Uint8Array>(
      {
        start: (controller) => {
          this.#controller = controller
        },
        pull: (controller) => this.pull(controller),
        cancel: () => this.#leave(),
      },
      { highWaterMark: 0 },
    )
  }

  /** Continues the same stream from another upstream. */
  successor(attempt: Attempt, response: UpstreamResponse): StreamPass {
    const pass = new StreamPass(this.#exchange, attempt, response, this.#startOver, this.#deps)
    pass.#watch()
    return pass
  }

  async pull(controller: Controller): Promise<void> {
    if (this.#successor) return this.#successor.pull(controller)
    this.#controller = controller
    if (this.#last.isWaiting) return this.#last.resume(controller)
    if (this.#mustSendHeaders) {
      this.#mustSendHeaders = false
      controller.enqueue(this.#earlyKeepAliveBytes)
      return
    }
    this.#isPulling = true
    try {
      await this.#send(controller)
    } catch (error) {
      if (!this.#isOver) await this.#fail(controller, faultOfError(this.attempt, error))
    } finally {
      this.#isPulling = false
    }
    if (this.#isStopped) this.stopped()
  }

  keepAlive(nowMs: number): void {
    const isQuiet = nowMs - this.#lastSentMs >= limits.keepAliveMs
    if (!isQuiet || !this.#isPulling || this.#isClosed || this.#source.isMidway) return
    this.#controller?.enqueue(this.#isHolding ? this.#earlyKeepAliveBytes : this.#keepAliveBytes)
    this.#lastSentMs = nowMs
  }

  /** False at the end of a stream: a client that has yet to read the end delays no upstream. */
  get isHeldUp(): boolean {
    return !this.#isPulling && !this.#isOver
  }

  get isFinished(): boolean {
    return this.#source.tap.reading().isFinished === true
  }

  /** The client has disconnected or has stopped reading: unread data is no longer sent. */
  left(): void {
    if (this.#isOver) return
    if (!this.#isPulling) this.#controller?.error(new Error('its reader takes nothing'))
    // The failure has been logged already, and there is no client to receive it.
    this.readOn().catch(() => undefined)
  }

  /**
   * A client that does not read does not pull either, so its stream is ended here; otherwise it would never be settled.
   * For a client that waits, the pending read fails; but if an event has already arrived, that read may succeed.
   */
  stopped(): void {
    this.#isStopped = true
    const controller = this.#controller
    if (this.#isPulling || this.#isOver || !controller) return
    void this.#end(controller, faultOfError(this.attempt, undefined))
  }

  #watch(): void {
    this.attempt.sink = this
    this.#lastSentMs = this.#deps.clock.monotonicMs()
    this.attempt.watched.onTick = (nowMs) => {
      this.#source.checkpoint(nowMs)
      this.keepAlive(nowMs)
    }
  }

  #hold(pieces: readonly Uint8Array[]): void {
    for (const piece of pieces) {
      this.#held.push(piece)
      this.#heldBytes += piece.length
    }
    if (this.#heldBytes >= limits.heldBackBytesMax) this.#isHolding = false
  }

  /** Loops until something has been sent: an upstream's comment or hidden usage alone would leave the pull pending. */
  async #send(controller: Controller): Promise<void> {
    for (let hasSent = !this.#isHolding && this.#flushHeld(controller); !hasSent; ) {
      if (this.#isOver) return
      this.#next ??= this.#source.read()
      const read = await this.#next
      this.#next = undefined
      if (this.#isOver) return
      if (this.#isHolding && !read.hasContent && !read.terminator) {
        if (read.fault) return this.#fail(controller, read.fault)
        this.#hold(read.pieces)
        hasSent = !this.#isHolding && this.#flushHeld(controller)
        continue
      }
      this.#isHolding = false
      this.#flushHeld(controller)
      hasSent = this.#enqueue(controller, read.pieces)
      if (read.fault) return this.#end(controller, read.fault)
      if (read.terminator) return this.#finish(controller, read.terminator)
      // Everything that has been read is charged, so all of it is sent first.
      const { slices, isMidway, tap } = this.#source
      const isCovered = !slices || isMidway || (await slices.cover(tap.reading().deliveredTokens()))
      if (!isCovered) return this.#cut(controller, slices)
    }
  }

  #flushHeld(controller: Controller): boolean {
    const held = this.#held
    if (held.length === 0) return false
    this.#held = []
    return this.#enqueue(controller, held)
  }

  #enqueue(controller: Controller, pieces: readonly Uint8Array[]): boolean {
    for (const piece of pieces) controller.enqueue(piece)
    if (pieces.length === 0) return false
    this.#lastSentMs = this.#deps.clock.monotonicMs()
    this.#source.checkpoint(this.#lastSentMs)
    return true
  }

  /** A failure before any content. Nothing is charged, unless the upstream has already reported usage. */
  async #failEarly(fault: Fault): Promise<Error> {
    if (!this.#isBilled()) return fault
    await this.#settle(fault.status, fault.code)
    return new ExchangeSettled(fault)
  }

  #isBilled(): boolean {
    const { usage, isUsageProvisional } = this.#source.tap.reading()
    if (!usage || isUsageProvisional === true) return false
    return usage.output > 0 || usage.input + usage.cacheRead > 0
  }

  /** A failure after the headers. As long as no event has been sent, another upstream may start the stream. */
  async #fail(controller: Controller, fault: Fault): Promise<void> {
    const isLost = this.attempt.hasLeft || this.#isBilled()
    if (!this.#isHolding || isLost) return this.#end(controller, fault)
    this.#isOver = true
    try {
      this.#successor = await this.#startOver(this, fault)
    } catch (error) {
      this.#close(controller, this.#faultEvent(faultOfError(this.attempt, error)))
      return
    }
    const successor = this.#successor
    if (!successor) this.#gone()
    else if (this.#isClosed || successor.attempt.hasLeft) successor.#leave()
    else await successor.pull(controller)
  }

  async #finish(controller: Controller, terminator: readonly Uint8Array[]): Promise<void> {
    this.#isOver = true
    this.attempt.succeed(this.#deps.clock.monotonicMs())
    measureHidden(this.attempt.candidate, this.#silentMs(), this.#source.tap.reading())
    this.#noteSuccess()
    let last = terminator
    try {
      await this.#settle(200, undefined)
      const { tap } = this.#source
      const kept = tap.kept?.() ?? replyStoredUpstream(tap.reading())
      await storeReply(this.#exchange, this.attempt, kept, this.#deps)
    } catch (error) {
      if (!(error instanceof ExchangeSettled)) throw error
      last = this.#faultEvent(error.fault)
    }
    this.#close(controller, last)
    this.#source.drainConnection()
  }

  /** The money is used up: the reply ends as if at its output limit, and the usage row states the reason. */
  async #cut(controller: Controller, slices: Slices): Promise<void> {
    if (this.#isOver) return
    this.#isOver = true
    this.#stop('given_up')
    this.#noteSuccess()
    try {
      const { usage } = await this.#settle(200, await slices.cutReason())
      const { tap } = this.#source
      this.#close(controller, this.#source.encode(tap.cutText?.(usage) ?? ''))
    } catch (error) {
      if (!(error instanceof ExchangeSettled)) throw error
      this.#close(controller, this.#faultEvent(error.fault))
    }
  }

  #noteSuccess(): void {
    const { firstByteMs } = this.#source
    const outcome = firstByteMs === undefined ? {} : { firstByteMs }
    noteAttempt(this.#exchange, this.attempt, this.#deps, outcome)
  }

  /** The stream fails after content was sent. The client gets an error in its protocol, never a clean end. */
  async #end(controller: Controller, fault: Fault): Promise<void> {
    if (this.attempt.hasLeft) return this.readOn()
    this.#isOver = true
    noteAttempt(this.#exchange, this.attempt, this.#deps, { fault })
    this.#stop('given_up')
    let reported = fault
    try {
      await this.#settle(fault.status >= 500 ? fault.status : 502, fault.code)
    } catch (error) {
      if (!(error instanceof ExchangeSettled)) throw error
      reported = error.fault
    }
    // The client may have received half of an event, which must be completed. No part of a held-back event was sent.
    const hasStarted = this.#next === undefined && this.#held.length === 0
    const rest = hasStarted ? this.#source.takeReady() : []
    this.#close(controller, [...rest, ...this.#faultEvent(reported)])
  }

  #leave(): void {
    this.#gone()
    if (this.#successor) this.#successor.#leave()
    if (this.#isOver) return
    this.attempt.clientLeft(this.#deps.clock.monotonicMs())
    if (!this.#isOver) this.left()
  }

  #gone(): void {
    this.#isClosed = true
    this.#last.drop()
    this.#exchange.call.ended?.()
  }

  /**
   * The client has disconnected: the rest is read for its usage, as long as the attempt may last, and charged.
   * Disconnecting must not cost less than staying for the same text.
   */
  async readOn(): Promise<void> {
    if (this.#isOver) return
    this.#isOver = true
    this.#isClosed = true
    this.#held = []
    const { fault, isComplete } = await readRest(this.#source, this.attempt, this.#next)
    if (isComplete) this.attempt.succeed(this.#deps.clock.monotonicMs())
    else this.#stop(fault ? 'given_up' : 'client_gone')
    if (fault) noteAttempt(this.#exchange, this.attempt, this.#deps, { fault })
    else this.#noteSuccess()
    // A failure before any content is not charged, whether or not the client still waits.
    if (fault && !this.#source.hasContent && !this.#isBilled()) {
      await this.#settle(fault.status, fault.code, false)
      return
    }
    await this.#settle(499, 'client_gone')
    if (isComplete) this.#source.drainConnection()
  }

  #settle(status: number, reason: RequestReason | undefined, isBilled = true): Promise<Settlement> {
    const { candidate, leftMs } = this.attempt
    const reading = isBilled ? this.#source.tap.reading() : undefined
    const ending = { status, reason, candidate, reading }
    if (reason !== 'client_gone') return settle(this.#exchange, ending, this.#deps)
    const hiddenTokens = () => estimateHidden(candidate, this.#silentMs())
    return settle(this.#exchange, { ...ending, leftMs, hiddenTokens }, this.#deps)
  }

  /** The time until the first content, or until now if there is none. */
  #silentMs(): number {
    return this.#source.firstContentMs ?? this.#deps.clock.monotonicMs() - this.attempt.startedMs
  }

  #faultEvent(fault: Fault): readonly Uint8Array[] {
    const { protocol, call } = this.#exchange
    const text = this.#source.tap.faultText?.(fault, call.requestId)
    return this.#source.encode(text ?? protocol.encodeFaultEvent(fault, call.requestId))
  }

  /** Ends the output. Bytes beyond one turn's worth are sent as the client reads. */
  #close(controller: Controller, last: readonly Uint8Array[]): void {
    this.#isClosed = true
    this.#exchange.call.ended?.()
    this.#last.begin(controller, last)
  }

  #stop(reason: 'given_up' | 'client_gone'): void {
    // A pending read will fail, and nothing awaits it any more.
    this.#next?.catch(() => undefined)
    this.attempt.stop(reason)
  }
}
