import { Fault } from '../core/fault.ts'
import type { Reply, ReplyBody } from '../outgoing/reply.ts'
import type { StreamTap } from '../protocols/protocol.ts'
import { parseJson } from '../wire/json.ts'
import { type SseFrame, SseFramer } from '../wire/sse-framer.ts'
import type { Attempt } from './attempt.ts'
import { Checkpoints } from './checkpoints.ts'
import type { Exchange } from './exchange.ts'
import { limits } from './limits.ts'
import { mayThink } from './route-traits.ts'
import type { ForwardParts } from './settling.ts'
import { Slices } from './slices.ts'
import { faultOfWords } from './upstream-fault.ts'

const blankLine = new TextEncoder().encode('\n\n')

/** What one read of the upstream has brought. */
export interface Harvest {
  readonly pieces: Uint8Array[]
  readonly hasContent: boolean
  readonly terminator: Uint8Array | undefined
  readonly fault: Fault | undefined
}

/** One upstream's stream, cut into events, each of them looked at before it may go on. */
export class StreamSource {
  readonly tap: StreamTap
  readonly slices: Slices | undefined
  firstByteMs: number | undefined
  /** How long the upstream took to the first content. */
  firstContentMs: number | undefined
  receivedBytes = 0
  readonly #exchange: Exchange
  readonly #attempt: Attempt
  readonly #body: ReplyBody
  readonly #parts: ForwardParts
  readonly #checkpoints: Checkpoints
  readonly #framer = new SseFramer(limits.frameBytesMax)
  #backlog: readonly SseFrame[] = []
  #hasContent = false

  constructor(exchange: Exchange, attempt: Attempt, response: Reply, parts: ForwardParts) {
    this.#exchange = exchange
    this.#attempt = attempt
    this.#body = bodyOf(attempt, response)
    this.#parts = parts
    this.tap = attempt.written().openTap()
    const { constraint } = exchange
    this.slices =
      constraint?.kind === 'slices'
        ? new Slices(exchange, attempt.candidate, constraint)
        : undefined
    const { candidate, startedMs } = attempt
    this.#checkpoints = new Checkpoints(exchange, candidate, this.tap, startedMs)
    const { route } = candidate
    const { firstTokenMs, reasoningMs } = route.upstream.timeouts
    // One wait for all that comes before the first token, whatever else comes meanwhile.
    const waitMs = mayThink(route) ? Math.max(firstTokenMs, reasoningMs) : firstTokenMs
    attempt.watched.touch(parts.clock.monotonicMs(), waitMs)
  }

  /** What has been read until now is on its way to the caller. */
  checkpoint(nowMs: number): void {
    if (this.#hasContent) this.#checkpoints.look(nowMs, this.receivedBytes)
  }

  async read(): Promise<Harvest> {
    this.checkpoint(this.#parts.clock.monotonicMs())
    const waiting = this.#backlog
    this.#backlog = []
    if (waiting.length > 0) return this.#harvestFrames(waiting, undefined)
    const value = await this.#readBody()
    if (!value) return this.#harvestRest()
    const nowMs = this.#parts.clock.monotonicMs()
    this.receivedBytes += value.length
    this.firstByteMs ??= nowMs - this.#attempt.startedMs
    const harvest = this.#harvestFrames(this.#framer.push(value), value)
    if (this.#hasContent || this.tap.isCertain === true)
      this.#attempt.watched.touch(nowMs, this.#idleMs())
    return harvest
  }

  /** An upstream that has finished and does not close is not waited for as one that may still speak. */
  #idleMs(): number {
    const { idleMs } = this.#attempt.candidate.route.upstream.timeouts
    return this.tap.isCertain === true ? Math.min(idleMs, limits.finishedMs) : idleMs
  }

  /** Undefined at the end. Once every answer has finished, a broken or silent connection is the end, too. */
  async #readBody(): Promise<Uint8Array | undefined> {
    try {
      return await this.#body.read()
    } catch (error) {
      const { stopReason } = this.#attempt
      const isOurs = stopReason === 'given_up' || stopReason === 'client_gone'
      if (isOurs || this.tap.isCertain !== true) throw error
      return undefined
    }
  }

  get hasContent(): boolean {
    return this.#hasContent
  }

  /** Reads what little may follow the last event, so that the connection goes back to the pool. */
  linger(): void {
    this.#attempt.watched.touch(this.#parts.clock.monotonicMs(), limits.lingerMs)
    const readOn = (): void => {
      this.#body.read().then(
        (piece) => (piece ? readOn() : this.#attempt.watched.stop()),
        () => this.#attempt.watched.stop(),
      )
    }
    readOn()
  }

  /** The upstream has closed. Some leave out the last blank line: then what it closes is still an event. */
  #harvestRest(): Harvest {
    const rest =
      this.#framer.unfinishedBytes > 0
        ? this.#harvestFrames(this.#framer.push(blankLine).filter(isEvent), blankLine)
        : undefined
    if (rest?.terminator || rest?.fault) return rest
    const last = this.tap.end()
    if (!last) throw cutShort(this.#attempt)
    return {
      pieces: rest?.pieces ?? [],
      hasContent: rest?.hasContent ?? false,
      terminator: last.bytes,
      fault: last.fault && faultOfWords(this.#attempt, last.fault),
    }
  }

  #harvestFrames(frames: readonly SseFrame[], chunk: Uint8Array | undefined): Harvest {
    const pieces: Uint8Array[] = []
    let hasContent = false
    let isUntouched = true
    for (const [index, frame] of frames.entries()) {
      const verdict = this.tap.read(frame)
      if (verdict.isContent) {
        hasContent = true
        if (!this.#hasContent) this.#noteContent()
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
      if (this.slices?.isShort(this.tap.reading().deliveredTokens())) {
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

  /** The first content: the upstream is well, and this is how long it took. */
  #noteContent(): void {
    this.#hasContent = true
    const { story, call, conversation } = this.#exchange
    const { candidate, startedMs } = this.#attempt
    const nowMs = this.#parts.clock.monotonicMs()
    this.firstContentMs = nowMs - startedMs
    story.firstTokenMs ??= nowMs - call.startedMs
    candidate.slot.target.noteFirstToken(nowMs - startedMs)
    this.#attempt.succeed(nowMs)
    conversation.keep(candidate, nowMs)
  }
}

/** A blank line alone is none, nor is what was cut in the middle. */
function isEvent({ bytes, data }: SseFrame): boolean {
  if (data === undefined) return bytes.some((byte) => byte !== 0x0a && byte !== 0x0d)
  return !data.startsWith('{') || parseJson(data) !== undefined
}

function bodyOf({ upstreamId }: Attempt, { headers, body }: Reply): ReplyBody {
  const type = headers.get('content-type') ?? ''
  if (type.includes('text/event-stream')) return body
  throw new Fault(
    'upstream_error',
    'The upstream was asked for a stream and answered with something else.',
    { operatorMessage: `upstream ${upstreamId} answered a stream with content-type "${type}"` },
  )
}

function startsAt(bytes: Uint8Array | undefined, chunk: Uint8Array): boolean {
  return (
    bytes !== undefined && bytes.buffer === chunk.buffer && bytes.byteOffset === chunk.byteOffset
  )
}

function cutShort({ upstreamId }: Attempt): Fault {
  return new Fault('upstream_error', 'The upstream ended the stream before it was complete.', {
    operatorMessage: `upstream ${upstreamId} closed a stream without its last event`,
  })
}
