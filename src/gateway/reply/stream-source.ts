import { Fault } from '../../core/fault.ts'
import { turns } from '../../core/runtime/turns.ts'
import type { ReplyBody, UpstreamResponse } from '../../http-out/reply.ts'
import type { FrameVerdict, StreamTap } from '../../protocols/protocol.ts'
import { parseJson } from '../../wire/json.ts'
import { type SseFrame, SseFramer } from '../../wire/sse-framer.ts'
import { Slices } from '../admit/slices.ts'
import { Checkpoints } from '../charge/checkpoints.ts'
import type { ForwardDeps } from '../charge/settle.ts'
import type { Exchange } from '../exchange.ts'
import type { Attempt } from '../forward/attempt.ts'
import { mayReason } from '../forward/route-traits.ts'
import { faultOfReport } from '../forward/upstream-fault.ts'
import { limits } from '../limits.ts'
import { noteLostLogprobs } from '../request-trace.ts'
import { cutPortion } from './cut-portion.ts'
import { LongFrames, UnreadableFrame } from './long-frames.ts'
import { longReplyBytes } from './long-reply.ts'

const encoder = new TextEncoder()
const blankLine = encoder.encode('\n\n')
const none: readonly never[] = []

/** The result of one read from the upstream. */
export interface StreamRead {
  readonly pieces: readonly Uint8Array[]
  readonly hasContent: boolean
  /** The last event, in pieces. */
  readonly terminator: readonly Uint8Array[] | undefined
  readonly fault: Fault | undefined
}

/** One upstream's stream, split into events. Each event is read before it may be passed on. */
export class StreamSource {
  readonly tap: StreamTap
  readonly slices: Slices | undefined
  firstByteMs: number | undefined
  /** The time until the first content. */
  firstContentMs: number | undefined
  receivedBytes = 0
  /** Bytes of the events that the tap has read: its figures include only these. Other events wait for a later turn. */
  #tappedBytes = 0
  readonly #exchange: Exchange
  readonly #attempt: Attempt
  readonly #body: ReplyBody
  readonly #deps: ForwardDeps
  readonly #checkpoints: Checkpoints
  readonly #framer = new SseFramer(limits.frameBytesMax, longReplyBytes)
  readonly #long: LongFrames
  /** Events that have arrived and wait for a later turn. */
  #backlog: readonly SseFrame[] = []
  /** Output that waits for a later turn. */
  #ready: StreamRead | undefined
  /** Bytes that have arrived and are split into events in a later turn. */
  #unread: readonly Uint8Array[] = []
  #hasContent = false

  constructor(exchange: Exchange, attempt: Attempt, response: UpstreamResponse, deps: ForwardDeps) {
    this.#exchange = exchange
    this.#attempt = attempt
    this.#body = bodyOf(attempt, response)
    this.#deps = deps
    const passage = attempt.written()
    this.#long = new LongFrames({
      isTranslated: passage.isTranslated,
      mint: deps.mint,
      onLostLogprobs: () => noteLostLogprobs(exchange.trace),
    })
    this.tap = this.#long.wrap(passage.openTap())
    const { constraint } = exchange
    this.slices =
      constraint?.kind === 'slices'
        ? new Slices(exchange, attempt.candidate, constraint)
        : undefined
    const { candidate, startedMs } = attempt
    this.#checkpoints = new Checkpoints(exchange, candidate, this.tap, startedMs)
    const { route } = candidate
    const { firstTokenMs, reasoningMs } = route.upstream.timeouts
    // One timeout for everything before the first token. Other data does not restart it.
    const waitMs = mayReason(route) ? Math.max(firstTokenMs, reasoningMs) : firstTokenMs
    attempt.watched.touch(deps.clock.monotonicMs(), waitMs)
  }

  /** Called when the data read so far is on its way to the client: the process may be killed at any moment. */
  checkpoint(nowMs: number): void {
    if (this.#hasContent) this.#checkpoints.look(nowMs, this.#tappedBytes)
  }

  /** Whether an event may be only partly sent. Its rest must be written before anything else. */
  get isMidway(): boolean {
    return this.#ready !== undefined
  }

  /** Takes the rest of a partly sent event, for a stream that ends here. */
  takeReady(): readonly Uint8Array[] {
    const pieces = this.#ready?.pieces ?? []
    this.#ready = undefined
    return pieces
  }

  /** Encodes the tap's output and inserts the long texts. */
  encode(text: string): readonly Uint8Array[] {
    const written = this.tap.encode?.(text) ?? [encoder.encode(text)]
    return written.flatMap((piece) => this.#long.fill(piece))
  }

  /** One large function on purpose: every event of every stream passes here, and each further `await` costs time. */
  async read(): Promise<StreamRead> {
    const ready = this.#ready
    if (ready) {
      await turns.next()
      return this.#portion(ready)
    }
    if (this.#backlog.length > 0) return this.#portion(await this.#readBacklog())
    let piece: Uint8Array | undefined
    if (this.#unread.length > 0) {
      await turns.next()
      piece = this.#takeUnread()
    } else {
      try {
        piece = this.#takeIn(await this.#body.read())
      } catch (error) {
        this.#endWith(error)
      }
    }
    if (!piece) return this.#portion(await this.#readRest())
    const read = this.#cut(piece)
    if (this.#backlog[0]?.isLong === true && read.pieces.length === 0) return this.read()
    const filled = this.#filled(read)
    return this.#portion(filled instanceof Promise ? await filled : filled)
  }

  /** Limits the output to one turn's worth. The rest is for the next read. */
  #portion(read: StreamRead): StreamRead {
    const { now, rest } = cutPortion(read.pieces, limits.writtenBytesATurn)
    this.#ready = rest.length > 0 ? { ...read, pieces: rest } : undefined
    return this.#ready ? { ...read, pieces: now, terminator: undefined, fault: undefined } : read
  }

  /** Reads events that arrived together with earlier ones. */
  async #readBacklog(): Promise<StreamRead> {
    const waiting = this.#backlog
    const [first] = waiting
    if (first?.isLong) {
      this.#backlog = waiting.slice(1)
      return this.#filled(this.#look([await this.#open(first)], undefined))
    }
    await turns.next()
    return this.#filled(this.#look(waiting, undefined))
  }

  #takeIn(value: Uint8Array | undefined): Uint8Array | undefined {
    if (!value) return undefined
    this.receivedBytes += value.length
    this.firstByteMs ??= this.#deps.clock.monotonicMs() - this.#attempt.startedMs
    return this.#firstOf(value)
  }

  #takeUnread(): Uint8Array | undefined {
    const [unread, ...later] = this.#unread
    this.#unread = later
    return unread && this.#firstOf(unread)
  }

  /** A large chunk is read in turns: it may contain a million events. */
  #firstOf(value: Uint8Array): Uint8Array {
    const { streamBytesATurn } = limits
    if (value.length <= streamBytesATurn) return value
    this.#unread = [value.subarray(streamBytesATurn), ...this.#unread]
    return value.subarray(0, streamBytesATurn)
  }

  #cut(piece: Uint8Array): StreamRead {
    const frames = this.#framer.push(piece, limits.framesATurn)
    const { unread } = this.#framer
    if (unread) this.#unread = [unread, ...this.#unread]
    const read = this.#look(frames, piece)
    if (this.#hasContent || this.tap.isCertain === true) {
      this.#attempt.watched.touch(this.#deps.clock.monotonicMs(), this.#idleMs())
    }
    return read
  }

  /** An upstream that has finished but does not close gets a shorter timeout than one that may still send content. */
  #idleMs(): number {
    const { idleMs } = this.#attempt.candidate.route.upstream.timeouts
    return this.tap.isCertain === true ? Math.min(idleMs, limits.finishedMs) : idleMs
  }

  /**
   * Once every answer has finished, a broken or silent connection also counts as the end. Otherwise it is a failure.
   */
  #endWith(error: unknown): void {
    const { stopReason } = this.#attempt
    const isStoppedHere = stopReason === 'given_up' || stopReason === 'client_gone'
    if (isStoppedHere || this.tap.isCertain !== true) throw error
  }

  get hasContent(): boolean {
    return this.#hasContent
  }

  /** Reads the few bytes that may follow the last event, so that the connection returns to the pool. */
  drainConnection(): void {
    this.#attempt.watched.touch(this.#deps.clock.monotonicMs(), limits.lingerMs)
    const readOn = (): void => {
      this.#body.read().then(
        (piece) => (piece ? readOn() : this.#attempt.watched.stop()),
        () => this.#attempt.watched.stop(),
      )
    }
    readOn()
  }

  /** The upstream has closed. Some omit the last blank line, so the remaining bytes may still be an event. */
  async #readRest(): Promise<StreamRead> {
    const rest = await this.#readUnfinished()
    if (rest?.terminator || rest?.fault) return this.#filled(rest)
    const last = this.tap.end()
    if (!last) throw cutShort(this.#attempt)
    return this.#filled({
      pieces: rest?.pieces ?? [],
      hasContent: rest?.hasContent ?? false,
      terminator: piecesOf(last),
      fault: last.fault && faultOfReport(this.#attempt, last.fault),
    })
  }

  async #readUnfinished(): Promise<StreamRead | undefined> {
    if (this.#framer.unfinishedBytes === 0) return undefined
    const frames: SseFrame[] = []
    for (const frame of this.#framer.push(blankLine)) {
      const opened = frame.isLong ? await this.#open(frame) : frame
      if (isEvent(opened, frame.isLong === true)) frames.push(opened)
    }
    const read = this.#look(frames, blankLine)
    return this.tap.hasMore === true ? this.#writeAll(read) : read
  }

  async #open(frame: SseFrame): Promise<SseFrame> {
    try {
      return await this.#long.open(frame)
    } catch (error) {
      throw error instanceof UnreadableFrame ? unreadable(this.#attempt, error) : error
    }
  }

  /** Inserts the long texts that a translation has carried over. */
  #filled(read: StreamRead): StreamRead | Promise<StreamRead> {
    if (this.tap.hasMore === true) return this.#writeAll(read)
    return this.#long.isEmpty ? read : this.#fill(read)
  }

  /** One event may produce much output, which is written in turns. */
  async #writeAll(first: StreamRead): Promise<StreamRead> {
    const pieces = [...first.pieces, ...(first.terminator ?? [])]
    let last: FrameVerdict | undefined
    do {
      await turns.next()
      last = this.tap.writeMore?.()
      for (const piece of (last && piecesOf(last)) ?? []) {
        if (last?.isTerminator !== true) pieces.push(piece)
      }
    } while (this.tap.hasMore === true)
    const terminator = last?.isTerminator === true ? piecesOf(last) : undefined
    return this.#filled({ ...first, pieces, terminator })
  }

  async #fill(read: StreamRead): Promise<StreamRead> {
    await turns.next()
    const pieces = read.pieces.flatMap((piece) => this.#long.fill(piece))
    const terminator = read.terminator?.flatMap((piece) => this.#long.fill(piece))
    return { ...read, pieces, terminator }
  }

  /** Reads events until one is too long or the hold is used up. The rest waits. */
  #look(frames: readonly SseFrame[], chunk: Uint8Array | undefined): StreamRead {
    const pieces: Uint8Array[] = []
    let hasContent = false
    let isUntouched = true
    let encodedBytes = 0
    let index = 0
    for (; index < frames.length; index += 1) {
      const frame = frames[index]
      if (!frame || frame.isLong) break
      const verdict = this.tap.read(frame)
      this.#tappedBytes += frame.bytes.length
      if (verdict.isContent) {
        hasContent = true
        if (!this.#hasContent) this.#noteContent()
      }
      if (verdict.fault) {
        const fault = faultOfReport(this.#attempt, verdict.fault)
        return { pieces, hasContent, terminator: undefined, fault }
      }
      if (verdict.isTerminator)
        return { pieces, hasContent, terminator: piecesOf(verdict), fault: undefined }
      if (verdict.bytes !== frame.bytes) {
        isUntouched = false
        encodedBytes += verdict.bytes?.length ?? 0
      }
      if (verdict.bytes) pieces.push(verdict.bytes)
      for (const piece of verdict.more ?? none) pieces.push(piece)
      const isShort = this.slices?.isShort(this.tap.reading().deliveredTokens()) === true
      const isMuch = encodedBytes >= limits.encodedBytesATurn
      if (isShort || isMuch || this.tap.hasMore === true) {
        index += 1
        break
      }
    }
    this.#backlog = index < frames.length ? frames.slice(index) : none
    // The usual case: whole events, all unchanged. One write is enough for all of them.
    const isWhole =
      isUntouched &&
      this.#backlog.length === 0 &&
      this.#framer.unread === undefined &&
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

  /** Records the first content: the upstream is healthy, and this is its latency. */
  #noteContent(): void {
    this.#hasContent = true
    const { trace, call, conversation } = this.#exchange
    const { candidate, startedMs } = this.#attempt
    const nowMs = this.#deps.clock.monotonicMs()
    this.firstContentMs = nowMs - startedMs
    trace.firstTokenMs ??= nowMs - call.startedMs
    candidate.state.target.noteFirstToken(nowMs - startedMs)
    this.#attempt.succeed(nowMs)
    conversation.keep(candidate, nowMs)
  }
}

function piecesOf({ bytes, more = [] }: FrameVerdict): readonly Uint8Array[] | undefined {
  return bytes && [bytes, ...more]
}

/** Whether the bytes are an event: not a blank line alone, and not a truncated event. */
function isEvent({ bytes, data }: SseFrame, wasLong: boolean): boolean {
  // A long event has been parsed already if it is JSON.
  if (wasLong) return data !== undefined
  if (data === undefined) return bytes.some((byte) => byte !== 0x0a && byte !== 0x0d)
  return !data.startsWith('{') || parseJson(data) !== undefined
}

function bodyOf({ upstreamId }: Attempt, { headers, body }: UpstreamResponse): ReplyBody {
  const type = headers.get('content-type') ?? ''
  if (type.includes('text/event-stream')) return body
  const described =
    /^(?:application\/json|text\/(?:html|plain))\b/.exec(type)?.[0] ?? 'another type'
  throw new Fault('upstream_error', 'The upstream did not answer with a stream.', {
    operatorMessage: `upstream ${upstreamId} answered a request for a stream with ${described}`,
  })
}

function startsAt(bytes: Uint8Array | undefined, chunk: Uint8Array): boolean {
  return (
    bytes !== undefined && bytes.buffer === chunk.buffer && bytes.byteOffset === chunk.byteOffset
  )
}

function unreadable({ upstreamId }: Attempt, { message }: UnreadableFrame): Fault {
  return new Fault(
    'upstream_error',
    'The upstream sent a response that cannot be read. Try again.',
    {
      operatorMessage: `upstream ${upstreamId}: ${message}`,
    },
  )
}

function cutShort({ upstreamId }: Attempt): Fault {
  return new Fault(
    'upstream_error',
    'The upstream ended the stream before it was complete. Try again.',
    {
      operatorMessage: `upstream ${upstreamId} closed a stream without its last event`,
    },
  )
}
