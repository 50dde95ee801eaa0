import type { RequestReason } from '../../core/codes.ts'
import type { Fault } from '../../core/fault.ts'
import type { UpstreamResponse } from '../../http-out/reply.ts'
import type { Settlement } from '../../ledger/ledger.ts'
import { ExchangeOver, type ForwardDeps, noteAttempt, settle } from '../charge/settling.ts'
import type { Exchange } from '../exchange.ts'
import type { Attempt, Passer } from '../forward/attempt.ts'
import { faultOfError } from '../forward/upstream-fault.ts'
import { limits } from '../limits.ts'
import { estimateHidden, measureHidden } from './hidden-reasoning.ts'
import { keepReply, keptUpstream } from './keep-reply.ts'
import { LastPieces } from './last-pieces.ts'
import { readRest } from './read-rest.ts'
import { earlyKeepAliveOf, keepAliveOf } from './stream-headers.ts'
import { type StreamRead, StreamSource } from './stream-source.ts'

const encoder = new TextEncoder()

/**
 * Asks another upstream for a stream that has failed before its first event. Undefined when the caller has gone;
 * throws the fault when nobody answers. Either way the request is settled then.
 */
export type StartOver = (failed: StreamPass, fault: Fault) => Promise<StreamPass | undefined>

type Controller = ReadableStreamDefaultController<Uint8Array>

/** A streamed answer: each event goes on as it came; the last one leaves only after the request is settled. */
export class StreamPass implements Passer {
  readonly attempt: Attempt
  readonly #exchange: Exchange
  readonly #source: StreamSource
  readonly #startOver: StartOver
  readonly #deps: ForwardDeps
  readonly #keepAliveBytes: Uint8Array
  /** The same before the first event: it must not look like one. */
  readonly #earlyKeepAliveBytes: Uint8Array
  /** What came before the first content; it is not sent before that, so that another upstream can still answer. */
  #held: Uint8Array[] = []
  #heldBytes = 0
  #isHolding = true
  /** The caller waits for the headers of a promised stream; the server sends them with the first bytes. */
  #owesHeaders = false
  #next: Promise<StreamRead> | undefined
  #controller: Controller | undefined
  #isPulling = false
  #lastSentMs = 0
  #isStopped = false
  /** Nothing more is taken from this upstream. */
  #isOver = false
  /** Nothing more is written to the caller. */
  #isClosed = false
  readonly #last = new LastPieces()
  #successor: StreamPass | undefined

  /** Throws the fault of an answer that is no stream. */
  constructor(
    exchange: Exchange,
    attempt: Attempt,
    response: UpstreamResponse,
    startOver: StartOver,
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
   * Reads up to the first content, or for a short while. What fails until then is thrown, and may be a plain HTTP
   * error; from then on the caller has been promised a stream.
   */
  async begin(): Promise<void> {
    const beganMs = this.#deps.clock.monotonicMs()
    const patience = new Promise<'patience'>((resolve) => {
      this.attempt.watched.onTick = (nowMs) => {
        if (nowMs - beganMs >= limits.heldBackMs) resolve('patience')
      }
    })
    while (this.#isHolding) {
      this.#next ??= this.#source.read()
      const read = await Promise.race([this.#next, patience]).catch((error: unknown) => {
        // Nobody waits, and we have stopped it: what has been read until now is settled.
        if (this.attempt.hasLeft && this.attempt.stopReason !== undefined) return undefined
        throw error
      })
      if (read === undefined) break
      if (read === 'patience') {
        this.#owesHeaders = true
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

  /** The same stream from another upstream. */
  successor(attempt: Attempt, response: UpstreamResponse): StreamPass {
    const pass = new StreamPass(this.#exchange, attempt, response, this.#startOver, this.#deps)
    pass.#watch()
    return pass
  }

  async pull(controller: Controller): Promise<void> {
    if (this.#successor) return this.#successor.pull(controller)
    this.#controller = controller
    if (this.#last.isWaiting) return this.#last.goOn(controller)
    if (this.#owesHeaders) {
      this.#owesHeaders = false
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

  /** Whoever has yet to take the end of a stream holds up nothing. */
  get isHeldUp(): boolean {
    return !this.#isPulling && !this.#isOver
  }

  get isFinished(): boolean {
    return this.#source.tap.reading().isFinished === true
  }

  /** The caller has gone, or takes nothing: whatever it has not taken yet is not sent any more. */
  left(): void {
    if (this.#isOver) return
    if (!this.#isPulling) this.#controller?.error(new Error('its reader takes nothing'))
    // A failure has been shouted about already, and nobody is left to tell.
    this.readOn().catch(() => undefined)
  }

  /**
   * A caller that takes nothing asks for nothing either: its stream is ended here, or it would never be settled. One
   * that waits is told by the read that fails; of an event that has come already the read may succeed.
   */
  stopped(): void {
    this.#isStopped = true
    const controller = this.#controller
    if (this.#isPulling || this.#isOver || !controller) return
    void this.#end(controller, faultOfError(this.attempt, undefined))
  }

  #watch(): void {
    this.attempt.passer = this
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

  /** Sends until something has been sent: an upstream's comment or hidden usage alone would leave the pull hanging. */
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
      // What has been read is charged, so all of it goes out first.
      const { slices, isMidway, tap } = this.#source
      const isCovered = !slices || isMidway || (await slices.cover(tap.reading().deliveredTokens()))
      if (!isCovered) return this.#cut(controller)
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

  /** A failure before any content: nothing is charged, unless the upstream has already reported what it took. */
  async #failEarly(fault: Fault): Promise<Error> {
    if (!this.#isBilled()) return fault
    await this.#settle(fault.status, fault.code)
    return new ExchangeOver(fault)
  }

  #isBilled(): boolean {
    const { usage, isUsageProvisional } = this.#source.tap.reading()
    if (!usage || isUsageProvisional === true) return false
    return usage.output > 0 || usage.input + usage.cacheRead > 0
  }

  /** A failure in the promised stream: as long as no event has left, another upstream may begin it. */
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
      const kept = tap.kept?.() ?? keptUpstream(tap.reading())
      await keepReply(this.#exchange, this.attempt, kept, this.#deps)
    } catch (error) {
      if (!(error instanceof ExchangeOver)) throw error
      last = this.#faultEvent(error.fault)
    }
    this.#close(controller, last)
    this.#source.linger()
  }

  /** The money is gone: the answer ends as one that has reached its limit, and the log says why. */
  async #cut(controller: Controller): Promise<void> {
    if (this.#isOver) return
    this.#isOver = true
    this.#stop('given_up')
    this.#noteSuccess()
    try {
      const { usage } = await this.#settle(200, 'quota_cut')
      const { tap } = this.#source
      this.#close(controller, this.#source.encode(tap.cutText?.(usage) ?? ''))
    } catch (error) {
      if (!(error instanceof ExchangeOver)) throw error
      this.#close(controller, this.#faultEvent(error.fault))
    }
  }

  #noteSuccess(): void {
    const { firstByteMs } = this.#source
    const outcome = firstByteMs === undefined ? {} : { firstByteMs }
    noteAttempt(this.#exchange, this.attempt, this.#deps, outcome)
  }

  /** The stream breaks after content has gone out: the caller is told in the protocol's own way, never by a clean end. */
  async #end(controller: Controller, fault: Fault): Promise<void> {
    if (this.attempt.hasLeft) return this.readOn()
    this.#isOver = true
    noteAttempt(this.#exchange, this.attempt, this.#deps, { fault })
    this.#stop('given_up')
    let told = fault
    try {
      await this.#settle(fault.status >= 500 ? fault.status : 502, fault.code)
    } catch (error) {
      if (!(error instanceof ExchangeOver)) throw error
      told = error.fault
    }
    // Half an event may be with the caller already; of one that is still held back nothing is.
    const isBegun = this.#next === undefined && this.#held.length === 0
    const rest = isBegun ? this.#source.takeReady() : []
    this.#close(controller, [...rest, ...this.#faultEvent(told)])
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
   * The caller has gone: the rest is read for its usage, as long as the attempt may last, and charged. Leaving must
   * not cost less than staying for the same text.
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
    // A failure before any content is nobody's bill, whoever waits for it.
    if (fault && !this.#source.hasContent && !this.#isBilled()) {
      await this.#settle(fault.status, fault.code, false)
      return
    }
    await this.#settle(499, 'client_gone')
    if (isComplete) this.#source.linger()
  }

  #settle(status: number, reason: RequestReason | undefined, isBilled = true): Promise<Settlement> {
    const { candidate, leftMs } = this.attempt
    const reading = isBilled ? this.#source.tap.reading() : undefined
    const ending = { status, reason, candidate, reading }
    if (reason !== 'client_gone') return settle(this.#exchange, ending, this.#deps)
    const hiddenTokens = () => estimateHidden(candidate, this.#silentMs())
    return settle(this.#exchange, { ...ending, leftMs, hiddenTokens }, this.#deps)
  }

  /** How long the upstream has said nothing, until now at most. */
  #silentMs(): number {
    return this.#source.firstContentMs ?? this.#deps.clock.monotonicMs() - this.attempt.startedMs
  }

  #faultEvent(fault: Fault): readonly Uint8Array[] {
    const { protocol, call } = this.#exchange
    const text = this.#source.tap.faultText?.(fault, call.requestId)
    return this.#source.encode(text ?? protocol.encodeFaultEvent(fault, call.requestId))
  }

  /** Nothing else is written any more. What does not go out in one turn is sent as the caller takes it. */
  #close(controller: Controller, last: readonly Uint8Array[]): void {
    this.#isClosed = true
    this.#exchange.call.ended?.()
    this.#last.begin(controller, last)
  }

  #stop(reason: 'given_up' | 'client_gone'): void {
    // A read under way will fail, and nobody waits for it any more.
    this.#next?.catch(() => undefined)
    this.attempt.stop(reason)
  }
}
