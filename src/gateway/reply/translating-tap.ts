import { Fault } from '../../core/fault.ts'
import type { TokenUsage } from '../../core/money/usage.ts'
import type { ReplyEvent } from '../../core/neutral/reply-event.ts'
import type { FrameVerdict, ReplyReading, StreamTap } from '../../protocols/protocol.ts'
import { replyLimits } from '../../protocols/reply-limits.ts'
import type { EventDecoder, EventEncoder } from '../../protocols/translation.ts'
import type { SseFrame } from '../../wire/sse-framer.ts'
import { unbrokenLines } from '../../wire/unbroken-lines.ts'
import type { StorableReply } from '../forward/passage.ts'
import { limits } from '../limits.ts'
import { joinDeltas } from './join-deltas.ts'
import { ReplyReader } from './reply-reader.ts'
import type { SetAsideTexts } from './set-aside-texts.ts'

const utf8 = new TextEncoder()

/** Limits of one turn: a few milliseconds of work. */
const eventsATurn = 1_000
const charactersATurn = 256 * 1024

export interface TranslatingTapDeps {
  readonly decoder: EventDecoder
  readonly encoder: EventEncoder
  /** Stores the JSON that the encoder repeats. */
  readonly aside: SetAsideTexts
  /** Restores the client's names of tool calls; undefined when the names are unchanged. */
  readonly restore: ((event: ReplyEvent) => ReplyEvent[]) | undefined
  /** Converts a failure that the upstream reports for the client's protocol. */
  toClient(fault: Fault): Fault
  /** Called when the reply is complete, with the events that may have to be remembered. */
  onOver(events: readonly ReplyEvent[]): void
  kept(): StorableReply | undefined
}

/** Translates a stream from one protocol to another. */
export class TranslatingTap implements StreamTap {
  readonly #deps: TranslatingTapDeps
  readonly #reader = new ReplyReader()
  #isAbandoned = false
  /** Set when texts were cut out: reasoning with a mark in it would be incomplete. */
  #isCut = false
  #partCount = 0
  #sourceCount = 0
  #characters = 0
  readonly #argumentCharacters: (number | undefined)[] = []
  /** Events that are written in a later turn. */
  #unwritten: readonly ReplyEvent[] = []

  constructor(deps: TranslatingTapDeps) {
    this.#deps = deps
  }

  read(frame: SseFrame): FrameVerdict {
    if (frame.isCut) this.#isCut = true
    const decoded = this.#deps.decoder.push(frame)
    return this.#write(frame.value === undefined ? decoded : joinDeltas(decoded))
  }

  end(): FrameVerdict | undefined {
    const verdict = this.#write(this.#deps.decoder.end())
    return this.#reader.isOver || verdict.fault ? verdict : undefined
  }

  get hasMore(): boolean {
    return this.#unwritten.length > 0
  }

  writeMore(): FrameVerdict {
    return this.#say()
  }

  get isCertain(): boolean {
    return this.#deps.decoder.isCertain === true
  }

  faultText(fault: Fault): string {
    return this.#deps.encoder.push({ type: 'fault', fault })
  }

  cutText(usage: TokenUsage): string {
    const { encoder } = this.#deps
    const isOpen = this.#reader.openAnswers().length > 0
    return (
      (isOpen ? encoder.push({ type: 'part-end', answer: 0 }) : '') +
      encoder.push({ type: 'usage', usage }) +
      encoder.push({ type: 'reply-end', finishes: [{ reason: 'length', raw: undefined }] })
    )
  }

  encode(text: string): readonly Uint8Array[] {
    return this.#deps.aside.encode(text)
  }

  reading(): ReplyReading {
    return this.#reader.reading()
  }

  abandon(): void {
    this.#isAbandoned = true
    this.#unwritten = []
    this.#reader.abandon()
  }

  kept(): StorableReply | undefined {
    return this.#deps.kept()
  }

  /** Fails a reply with too many parts or without an end. */
  #count(event: ReplyEvent): void {
    if (event.type === 'part-start') {
      this.#partCount += 1
      this.#argumentCharacters[event.answer] = event.part.type === 'tool-call' ? 0 : undefined
    } else if (event.type === 'part-delta') {
      this.#characters += event.text.length
      const before = this.#argumentCharacters[event.answer]
      if (before !== undefined) this.#argumentCharacters[event.answer] = before + event.text.length
    } else if (event.type === 'part-end') this.#sourceCount += event.annotations?.length ?? 0
    const problem = this.#problem(event)
    if (problem === undefined) return
    this.#reader.fault ??= new Fault(
      'upstream_error',
      'The upstream sent a response that cannot be read. Try again.',
      { operatorMessage: `its answer has more than ${problem}` },
    )
  }

  #problem(event: ReplyEvent): string | undefined {
    const { parts, sources, characters, argumentCharacters } = replyLimits
    if (this.#partCount > parts) return `${parts} parts`
    if (this.#sourceCount > sources) return `${sources} sources`
    if (this.#characters > characters) return `${characters} characters`
    const inCall = event.type === 'part-delta' ? this.#argumentCharacters[event.answer] : undefined
    if ((inCall ?? 0) > argumentCharacters) return `${argumentCharacters} characters in one call`
    return this.#deps.aside.isFull ? `${limits.replyBytesMax} bytes` : undefined
  }

  #write(decoded: readonly ReplyEvent[]): FrameVerdict {
    const { restore } = this.#deps
    const reader = this.#reader
    const events = restore ? decoded.flatMap(restore) : decoded
    let isContent = false
    for (const event of events) {
      if (reader.note(event)) isContent = true
      this.#count(event)
      if (reader.fault) break
    }
    if (reader.fault) {
      const fault = this.#deps.toClient(reader.fault)
      return { bytes: undefined, isTerminator: reader.isOver, fault, isContent }
    }
    if (reader.isOver && !this.#isAbandoned && !this.#isCut) this.#deps.onOver(reader.remembered)
    this.#unwritten = this.#isAbandoned ? [] : events
    return { ...this.#say(), isContent }
  }

  /** Writes one turn's worth. The rest is for the next turn. */
  #say(): FrameVerdict {
    const { encoder, aside } = this.#deps
    const events = this.#unwritten
    let text = ''
    let isMarked = false
    let read = 0
    let index = 0
    for (; index < events.length && index < eventsATurn; index += 1) {
      const event = events[index]
      if (!event || read + text.length > charactersATurn) break
      text += encoder.push(event)
      if (event.type === 'part-delta') read += event.text.length
      // Only ends of parts and replies repeat texts that were set aside.
      else isMarked = true
    }
    this.#unwritten = index < events.length ? events.slice(index) : []
    const isTerminator = this.#reader.isOver && !this.hasMore
    const verdict = { isTerminator, fault: undefined, isContent: false }
    if (text === '' && !isTerminator) return { bytes: undefined, ...verdict }
    if (!isMarked) return { bytes: utf8.encode(unbrokenLines(text)), ...verdict }
    const [bytes, ...more] = aside.encode(text)
    return { bytes, more, ...verdict }
  }
}
