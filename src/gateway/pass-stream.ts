import { Fault } from '../core/fault.ts'
import type { Settlement } from '../ledger/ledger.ts'
import type { StreamTap } from '../protocols/protocol.ts'
import { type SseFrame, SseFramer } from '../wire/sse-framer.ts'
import type { Attempt } from './attempt.ts'
import type { Answer } from './call.ts'
import type { Exchange } from './exchange.ts'
import { keepReply, keptUpstream } from './keep-reply.ts'
import { limits } from './limits.ts'
import type { Passage } from './passage.ts'
import { ExchangeOver, type ForwardParts, noteAttempt, settle } from './settling.ts'
import { Slices } from './slices.ts'
import { headersFor, keepAliveOf } from './stream-headers.ts'
import { faultOfError, faultOfWords } from './upstream-fault.ts'

const encoder = new TextEncoder()
const blankLine = encoder.encode('\n\n')

/** A streamed answer: each event goes on as it came; the last one leaves only after the request is settled. */
export async function passStream(
  exchange: Exchange,
  attempt: Attempt,
  passage: Passage,
  response: Response,
  parts: ForwardParts,
): Promise<Answer> {
  const type = response.headers.get('content-type') ?? ''
  if (!response.body || !type.includes('text/event-stream')) {
    throw new Fault(
      'upstream_error',
      'The upstream was asked for a stream and answered with something else.',
      {
        operatorMessage: `upstream ${attempt.candidate.route.upstream.id} answered a stream with content-type "${type}"`,
      },
    )
  }
  const pass = new StreamPass(exchange, attempt, passage, response.body.getReader(), parts)
  await pass.begin()
  return { status: 200, headers: headersFor(exchange, passage, parts), body: pass.readable() }
}

/** As much of a stream's reader as is needed here. */
interface Reader {
  read(): Promise<{ done: boolean; value?: Uint8Array | undefined }>
}

/** What one read of the upstream has brought. */
interface Harvest {
  readonly pieces: Uint8Array[]
  readonly hasContent: boolean
  readonly terminator: Uint8Array | undefined
  readonly fault: Fault | undefined
}

class StreamPass {
  readonly #exchange: Exchange
  readonly #attempt: Attempt
  readonly #reader: Reader
  readonly #parts: ForwardParts
  readonly #framer = new SseFramer(limits.frameBytesMax)
  readonly #tap: StreamTap
  readonly #keepAliveBytes: Uint8Array
  readonly #slices: Slices | undefined
  #held: Uint8Array[] = []
  #backlog: readonly SseFrame[] = []
  #next: Promise<Harvest> | undefined
  #controller: ReadableStreamDefaultController<Uint8Array> | undefined
  #isPulling = false
  #lastSentMs = 0
  #firstByteMs: number | undefined
  #isOver = false

  constructor(
    exchange: Exchange,
    attempt: Attempt,
    passage: Passage,
    reader: Reader,
    parts: ForwardParts,
  ) {
    this.#exchange = exchange
    this.#attempt = attempt
    this.#reader = reader
    this.#parts = parts
    this.#tap = passage.openTap()
    const { constraint } = exchange
    this.#slices =
      constraint?.kind === 'slices'
        ? new Slices(exchange, attempt.candidate, constraint)
        : undefined
    this.#keepAliveBytes = encoder.encode(keepAliveOf(exchange))
    attempt.watched.touch(parts.clock.monotonicMs(), limits.firstEventMs)
  }

  /**
   * Reads up to the first content, or for a short while. What fails until then is thrown, and may be tried at
   * another upstream; from then on the caller has been promised a stream.
   */
  async begin(): Promise<void> {
    const beganMs = this.#parts.clock.monotonicMs()
    const patience = new Promise<'patience'>((resolve) => {
      this.#attempt.watched.onTick = (nowMs) => {
        if (nowMs - beganMs >= limits.heldBackMs) resolve('patience')
      }
    })
    let heldBytes = 0
    while (heldBytes < limits.heldBackBytesMax) {
      this.#next ??= this.#read()
      const harvest = await Promise.race([this.#next, patience])
      if (harvest === 'patience') break
      if (harvest.fault) throw await this.#failEarly(harvest.fault)
      if (harvest.terminator || harvest.hasContent) break
      this.#next = undefined
      this.#held.push(...harvest.pieces)
      for (const piece of harvest.pieces) heldBytes += piece.length
    }
    this.#lastSentMs = this.#parts.clock.monotonicMs()
    this.#attempt.watched.onTick = (nowMs) => this.#keepAlive(nowMs)
  }

  readable(): ReadableStream<Uint8Array> {
    return new ReadableStream<Uint8Array>(
      {
        pull: (controller) => this.#pull(controller),
        cancel: () => this.#leave(),
      },
      { highWaterMark: 0 },
    )
  }

  async #pull(controller: ReadableStreamDefaultController<Uint8Array>): Promise<void> {
    this.#controller = controller
    this.#isPulling = true
    try {
      await this.#send(controller)
    } catch (error) {
      if (!this.#isOver) await this.#end(controller, faultOfError(this.#attempt, error))
    } finally {
      this.#isPulling = false
    }
  }

  /** Sends until something has been sent: an upstream's comment or hidden usage alone would leave the pull hanging. */
  async #send(controller: ReadableStreamDefaultController<Uint8Array>): Promise<void> {
    for (let hasSent = this.#flushHeld(controller); !hasSent; ) {
      this.#next ??= this.#read()
      const harvest = await this.#next
      this.#next = undefined
      if (this.#isOver) return
      hasSent = this.#enqueue(controller, harvest.pieces)
      if (harvest.fault) return this.#end(controller, harvest.fault)
      if (harvest.terminator) return this.#finish(controller, harvest.terminator)
      if (!(await this.#isCovered())) return this.#cut(controller)
    }
  }

  #flushHeld(controller: ReadableStreamDefaultController<Uint8Array>): boolean {
    const held = this.#held
    this.#held = []
    return this.#enqueue(controller, held)
  }

  #enqueue(
    controller: ReadableStreamDefaultController<Uint8Array>,
    pieces: readonly Uint8Array[],
  ): boolean {
    for (const piece of pieces) controller.enqueue(piece)
    if (pieces.length > 0) this.#lastSentMs = this.#parts.clock.monotonicMs()
    return pieces.length > 0
  }

  async #read(): Promise<Harvest> {
    const waiting = this.#backlog
    this.#backlog = []
    if (waiting.length > 0) return this.#harvestFrames(waiting, undefined)
    const { done, value } = await this.#reader.read()
    if (done || !value) return this.#harvestRest()
    const nowMs = this.#parts.clock.monotonicMs()
    this.#firstByteMs ??= nowMs - this.#attempt.startedMs
    this.#attempt.watched.touch(nowMs, limits.betweenEventsMs)
    return this.#harvest(value)
  }

  /** The upstream has closed. Some leave out the last blank line: then what it closes is still an event. */
  #harvestRest(): Harvest {
    const rest = this.#framer.unfinishedBytes > 0 ? this.#harvest(blankLine) : undefined
    if (rest?.terminator || rest?.fault) return rest
    const last = this.#tap.end()
    if (!last) throw cutShort(this.#attempt)
    return {
      pieces: rest?.pieces ?? [],
      hasContent: rest?.hasContent ?? false,
      terminator: last.bytes,
      fault: last.fault && faultOfWords(this.#attempt, last.fault),
    }
  }

  #harvest(chunk: Uint8Array): Harvest {
    return this.#harvestFrames(this.#framer.push(chunk), chunk)
  }

  #harvestFrames(frames: readonly SseFrame[], chunk: Uint8Array | undefined): Harvest {
    const pieces: Uint8Array[] = []
    let hasContent = false
    let isUntouched = true
    for (const [index, frame] of frames.entries()) {
      const verdict = this.#tap.read(frame)
      if (verdict.isContent) {
        hasContent = true
        this.#exchange.story.firstTokenMs ??=
          this.#parts.clock.monotonicMs() - this.#exchange.call.startedMs
      }
      if (verdict.fault)
        return {
          pieces,
          hasContent,
          terminator: undefined,
          fault: faultOfWords(this.#attempt, verdict.fault),
        }
      if (verdict.isTerminator)
        return { pieces, hasContent, terminator: verdict.bytes, fault: undefined }
      if (verdict.bytes !== frame.bytes) isUntouched = false
      if (verdict.bytes) pieces.push(verdict.bytes)
      if (this.#slices?.isShort(this.#tap.reading().deliveredTokens())) {
        // What follows is looked at when there is money for it.
        this.#backlog = frames.slice(index + 1)
        break
      }
    }
    // The usual case: whole events, none of them touched. Then one write does for all.
    const isWhole =
      isUntouched &&
      this.#framer.unfinishedBytes === 0 &&
      chunk !== undefined &&
      startsAt(frames[0]?.bytes, chunk)
    return {
      pieces: isWhole && chunk ? [chunk] : pieces,
      hasContent,
      terminator: undefined,
      fault: undefined,
    }
  }

  /** A failure before any content: nothing is charged, unless the upstream has already reported what it took. */
  async #failEarly(fault: Fault): Promise<Error> {
    const { usage, isUsageProvisional } = this.#tap.reading()
    if (usage === undefined || isUsageProvisional === true) return fault
    await this.#settle(fault.status, fault.code)
    return new ExchangeOver(fault)
  }

  async #finish(
    controller: ReadableStreamDefaultController<Uint8Array>,
    terminator: Uint8Array,
  ): Promise<void> {
    this.#isOver = true
    this.#noteSuccess()
    let last = terminator
    try {
      await this.#settle(200, undefined)
      const kept = this.#tap.kept?.() ?? keptUpstream(this.#tap.reading())
      keepReply(this.#exchange, this.#attempt, kept, this.#parts)
    } catch (error) {
      if (!(error instanceof ExchangeOver)) throw error
      last = this.#faultEvent(error.fault)
    }
    this.#close(controller, last)
    this.#attempt.watched.touch(this.#parts.clock.monotonicMs(), limits.lingerMs)
    this.#linger()
  }

  /** Whether there is money for more of the answer. */
  async #isCovered(): Promise<boolean> {
    if (!this.#slices) return true
    return this.#slices.cover(this.#tap.reading().deliveredTokens())
  }

  /** The money is gone: the answer ends as one that has reached its limit, and the log says why. */
  async #cut(controller: ReadableStreamDefaultController<Uint8Array>): Promise<void> {
    if (this.#isOver) return
    this.#isOver = true
    this.#stop('given_up')
    this.#noteSuccess()
    try {
      const { usage } = await this.#settle(200, 'quota_cut')
      this.#close(controller, encoder.encode(this.#tap.cutText?.(usage) ?? ''))
    } catch (error) {
      if (!(error instanceof ExchangeOver)) throw error
      this.#close(controller, this.#faultEvent(error.fault))
    }
  }

  #noteSuccess(): void {
    noteAttempt(
      this.#exchange,
      this.#attempt,
      this.#parts,
      this.#firstByteMs === undefined ? {} : { firstByteMs: this.#firstByteMs },
    )
  }

  /** The stream breaks after content has gone out: the caller is told in the protocol's own way, never by a clean end. */
  async #end(controller: ReadableStreamDefaultController<Uint8Array>, fault: Fault): Promise<void> {
    if (this.#attempt.stopReason === 'client_gone') {
      this.#leave()
      return
    }
    this.#isOver = true
    this.#stop('given_up')
    noteAttempt(this.#exchange, this.#attempt, this.#parts, { fault })
    let told = fault
    try {
      await this.#settle(fault.status >= 500 ? fault.status : 502, fault.code)
    } catch (error) {
      if (!(error instanceof ExchangeOver)) throw error
      told = error.fault
    }
    this.#close(controller, this.#faultEvent(told))
  }

  /** The caller has gone: the upstream is stopped at once, and what was delivered is charged. */
  #leave(): void {
    if (this.#isOver) return
    this.#isOver = true
    this.#stop('client_gone')
    this.#noteSuccess()
    // A failure has been shouted about already, and nobody is left to tell.
    this.#settle(499, 'client_gone').catch(() => undefined)
  }

  #settle(status: number, reason: string | undefined): Promise<Settlement> {
    const reading = this.#tap.reading()
    return settle(
      this.#exchange,
      { status, reason, candidate: this.#attempt.candidate, reading },
      this.#parts,
    )
  }

  #faultEvent(fault: Fault): Uint8Array {
    const { protocol, call } = this.#exchange
    const text = this.#tap.faultText?.(fault, call.requestId)
    return encoder.encode(text ?? protocol.encodeFaultEvent(fault, call.requestId))
  }

  #keepAlive(nowMs: number): void {
    if (!this.#isPulling || this.#isOver || nowMs - this.#lastSentMs < limits.keepAliveMs) return
    this.#controller?.enqueue(this.#keepAliveBytes)
    this.#lastSentMs = nowMs
  }

  #close(controller: ReadableStreamDefaultController<Uint8Array>, last: Uint8Array): void {
    try {
      controller.enqueue(last)
      controller.close()
    } catch {
      // The caller went away while the request was settled; there is nobody left to tell.
    }
  }

  #stop(reason: 'given_up' | 'client_gone'): void {
    // A read under way will fail, and nobody waits for it any more.
    this.#next?.catch(() => undefined)
    this.#attempt.stop(reason)
  }

  /** Reads what little may follow the last event, so that the connection goes back to the pool. */
  #linger(): void {
    const readOn = (): void => {
      this.#reader.read().then(
        ({ done }) => (done ? this.#attempt.watched.stop() : readOn()),
        () => this.#attempt.watched.stop(),
      )
    }
    readOn()
  }
}

function startsAt(bytes: Uint8Array | undefined, chunk: Uint8Array): boolean {
  return (
    bytes !== undefined && bytes.buffer === chunk.buffer && bytes.byteOffset === chunk.byteOffset
  )
}

function cutShort(attempt: Attempt): Fault {
  return new Fault('upstream_error', 'The upstream ended the stream before it was complete.', {
    operatorMessage: `upstream ${attempt.candidate.route.upstream.id} closed a stream without its last event`,
  })
}
