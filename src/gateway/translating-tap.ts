import { Fault } from '../core/fault.ts'
import type { ReplyEvent } from '../core/reply-event.ts'
import type { TokenUsage } from '../core/usage.ts'
import type { FrameVerdict, ReplyReading, StreamTap } from '../protocols/protocol.ts'
import type { EventDecoder, EventEncoder } from '../protocols/translation.ts'
import type { SseFrame } from '../wire/sse-framer.ts'
import { unbrokenLines } from '../wire/unbroken-lines.ts'
import { joinDeltas } from './join-deltas.ts'
import type { KeptReply } from './passage.ts'
import { ReplyReader } from './reply-reader.ts'

const utf8 = new TextEncoder()

/** More than any model writes; protocols that repeat the whole answer at its end write it in one go. */
export const partsMax = 4_000
const charactersMax = 5 * 1024 * 1024

export interface TranslatingTapParts {
  readonly decoder: EventDecoder
  readonly encoder: EventEncoder
  /** Gives calls the names that the client knows; undefined when they have kept them. */
  readonly restore: ((event: ReplyEvent) => ReplyEvent[]) | undefined
  /** A failure that the upstream reports, in words that the caller's protocol knows. */
  told(fault: Fault): Fault
  /** The reply is complete: the events that may have to be remembered. */
  onOver(events: readonly ReplyEvent[]): void
  kept(): KeptReply | undefined
}

/** One protocol's stream in, another's out. */
export class TranslatingTap implements StreamTap {
  readonly #parts: TranslatingTapParts
  readonly #reader = new ReplyReader()
  #isForsaken = false
  /** A thought with a mark in it would not be one. */
  #isCut = false
  #partCount = 0
  #characters = 0

  constructor(parts: TranslatingTapParts) {
    this.#parts = parts
  }

  read(frame: SseFrame): FrameVerdict {
    if (frame.isCut) this.#isCut = true
    const decoded = this.#parts.decoder.push(frame)
    return this.#write(frame.value === undefined ? decoded : joinDeltas(decoded))
  }

  end(): FrameVerdict | undefined {
    const verdict = this.#write(this.#parts.decoder.end())
    return verdict.isTerminator || verdict.fault ? verdict : undefined
  }

  get isCertain(): boolean {
    return this.#parts.decoder.isCertain === true
  }

  faultText(fault: Fault): string {
    return unbrokenLines(this.#parts.encoder.push({ type: 'fault', fault }))
  }

  cutText(usage: TokenUsage): string {
    const { encoder } = this.#parts
    const isOpen = this.#reader.openAnswers().length > 0
    return unbrokenLines(
      (isOpen ? encoder.push({ type: 'part-end', answer: 0 }) : '') +
        encoder.push({ type: 'usage', usage }) +
        encoder.push({ type: 'reply-end', finishes: [{ reason: 'length', raw: undefined }] }),
    )
  }

  reading(): ReplyReading {
    return this.#reader.reading()
  }

  forsake(): void {
    this.#isForsaken = true
    this.#reader.forsake()
  }

  kept(): KeptReply | undefined {
    return this.#parts.kept()
  }

  /** An answer of very many parts, or without an end, is a failure. */
  #count(event: ReplyEvent): void {
    if (event.type === 'part-start') this.#partCount += 1
    else if (event.type === 'part-delta') this.#characters += event.text.length
    if (this.#partCount <= partsMax && this.#characters <= charactersMax) return
    this.#reader.fault ??= new Fault(
      'upstream_error',
      'The upstream sent an answer that cannot be read.',
      {
        operatorMessage: `its answer has more than ${partsMax} parts or ${charactersMax} characters`,
      },
    )
  }

  #write(decoded: readonly ReplyEvent[]): FrameVerdict {
    const { encoder, restore } = this.#parts
    const reader = this.#reader
    let text = ''
    let isContent = false
    const events = restore ? decoded.flatMap(restore) : decoded
    for (const event of events) {
      if (reader.note(event)) isContent = true
      this.#count(event)
      if (reader.fault) break
      if (!this.#isForsaken) text += encoder.push(event)
    }
    if (reader.isOver && !this.#isForsaken && !this.#isCut) this.#parts.onOver(reader.remembered)
    const bytes = text === '' && !reader.isOver ? undefined : utf8.encode(unbrokenLines(text))
    const fault = reader.fault && this.#parts.told(reader.fault)
    return { bytes, isTerminator: reader.isOver, fault, isContent }
  }
}
