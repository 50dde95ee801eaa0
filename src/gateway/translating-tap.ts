import type { Fault } from '../core/fault.ts'
import type { ReplyEvent } from '../core/reply-event.ts'
import type { TokenUsage } from '../core/usage.ts'
import type { FrameVerdict, ReplyReading, StreamTap } from '../protocols/protocol.ts'
import type { EventDecoder, EventEncoder } from '../protocols/translation.ts'
import type { SseFrame } from '../wire/sse-framer.ts'
import { unbrokenLines } from '../wire/unbroken-lines.ts'
import type { KeptReply } from './passage.ts'
import { ReplyReader } from './reply-reader.ts'

const utf8 = new TextEncoder()

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

  constructor(parts: TranslatingTapParts) {
    this.#parts = parts
  }

  read(frame: SseFrame): FrameVerdict {
    return this.#write(this.#parts.decoder.push(frame))
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

  #write(decoded: readonly ReplyEvent[]): FrameVerdict {
    const { encoder, restore } = this.#parts
    const reader = this.#reader
    let text = ''
    let isContent = false
    const events = restore ? decoded.flatMap(restore) : decoded
    for (const event of events) {
      if (reader.note(event)) isContent = true
      if (reader.fault) break
      if (!this.#isForsaken) text += encoder.push(event)
    }
    if (reader.isOver && !this.#isForsaken) this.#parts.onOver(reader.remembered)
    const bytes = text === '' && !reader.isOver ? undefined : utf8.encode(unbrokenLines(text))
    const fault = reader.fault && this.#parts.told(reader.fault)
    return { bytes, isTerminator: reader.isOver, fault, isContent }
  }
}
