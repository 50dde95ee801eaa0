import type { Annotation, Opaque } from '../../../core/neutral/model-request.ts'
import type { PartHead, ReplyEvent, TokenLogprob } from '../../../core/neutral/reply-event.ts'
import { GrowingText } from '../../../core/runtime/growing-text.ts'
import { FifoQueue } from '../../fit/fifo-queue.ts'

/** One part of the reply while it arrives. */
export interface PartSlot {
  readonly head: PartHead
  /** The text that has been passed on. */
  readonly sent: GrowingText
  state: 'new' | 'open' | 'ended'
  /** Events that arrived while another part was open. */
  readonly waiting: ReplyEvent[]
}

/** Puts parts one after another, however their events were mixed. Only the oldest open part is passed on at once. */
export class PartQueue {
  #events: ReplyEvent[] = []
  readonly #open = new FifoQueue<PartSlot>()

  newSlot(head: PartHead): PartSlot {
    return { head, sent: new GrowingText(), state: 'new', waiting: [] }
  }

  /** The events since the last call of `take`. */
  take(): ReplyEvent[] {
    const events = this.#events
    this.#events = []
    return events
  }

  /** For events that belong to no part. */
  add(event: ReplyEvent): void {
    this.#events.push(event)
  }

  open(state: PartSlot): void {
    if (state.state !== 'new') return
    state.state = 'open'
    this.#open.push(state)
    this.#pass(state, { type: 'part-start', answer: 0, part: state.head })
  }

  /** Empty text does not open a part. */
  append(state: PartSlot, text: string, logprobs?: TokenLogprob[]): void {
    if (text === '' || state.state === 'ended') return
    this.open(state)
    state.sent.add(text)
    this.#pass(state, {
      type: 'part-delta',
      answer: 0,
      text,
      ...(logprobs ? { logprobs } : {}),
    })
  }

  /** Adds the text that the pieces lack: some upstreams send no pieces, or lose one. */
  complete(state: PartSlot, whole: string | undefined, logprobs?: TokenLogprob[]): void {
    if (whole === undefined || !state.sent.isStartOf(whole)) return
    const isWhole = state.sent.length === 0
    this.append(state, whole.slice(state.sent.length), isWhole ? logprobs : undefined)
  }

  end(state: PartSlot, opaque?: Opaque, annotations?: readonly Annotation[]): void {
    if (state.state !== 'open') return
    state.state = 'ended'
    this.#pass(state, {
      type: 'part-end',
      answer: 0,
      ...(opaque ? { opaque } : {}),
      ...(annotations && annotations.length > 0 ? { annotations } : {}),
    })
    this.#advance()
  }

  endAll(): void {
    for (let slot = this.#open.first; slot; slot = this.#open.first) this.end(slot)
  }

  #pass(state: PartSlot, event: ReplyEvent): void {
    if (this.#open.first === state) this.#events.push(event)
    else state.waiting.push(event)
  }

  #advance(): void {
    while (this.#open.first?.state === 'ended') {
      this.#open.shift()
      for (const event of this.#open.first?.waiting.splice(0) ?? []) this.#events.push(event)
    }
  }
}
