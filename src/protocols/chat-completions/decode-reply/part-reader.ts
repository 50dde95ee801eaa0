import { Fault } from '../../../core/fault.ts'
import type { Annotation, MediaSource, Opaque } from '../../../core/neutral/model-request.ts'
import type { Finish, ReplyEvent, TokenLogprob } from '../../../core/neutral/reply-event.ts'
import { joinAudio } from '../../../wire/audio.ts'
import { FifoQueue } from '../../fit/fifo-queue.ts'
import { base64Source } from '../../media-source.ts'
import { replyLimits } from '../../reply-limits.ts'
import type { UpstreamContext } from '../../translation.ts'
import { decodeFinish } from '../values/finish-reason.ts'
import { addDetail, type Detail, packDetails } from '../values/opaque.ts'
import { ArgumentsText } from './arguments-text.ts'
import { CallIndex } from './call-index.ts'
import {
  type CallSegment,
  headOf,
  isComplete,
  type Segment,
  type TextSegment,
  textSegment,
} from './segments.ts'

/** A piece of a call from one chunk. */
export interface CallPiece {
  readonly index: number | undefined
  readonly id: string
  readonly name: string
  readonly text: string
  readonly form: 'function' | 'custom'
  readonly opaque: Opaque | undefined
}

/**
 * Decodes one answer of a stream. Chunks may mix pieces of several parts and of several calls, but neutral parts come
 * strictly one after another. The first part in the queue is therefore sent as it arrives, and the others wait.
 */
export class ChoiceReader {
  readonly #answer: number
  readonly #context: UpstreamContext
  readonly #queue = new FifoQueue<Segment>()
  readonly #calls = new CallIndex()
  /** The open text. Annotations and signatures belong to it. */
  #text: TextSegment | undefined
  /** Call ids must be unique, because a result names its call by id. */
  readonly #usedIds = new Set<string>()
  readonly #audio: string[] = []
  /** Links that arrived before any text. */
  readonly #early: Annotation[] = []
  /** Sources of the whole answer, and which of them have been sent. */
  sources: readonly Annotation[] = []
  readonly #sentSources = new Set<string>()
  #raw: string | undefined
  #choice: unknown

  constructor(answer: number, context: UpstreamContext) {
    this.#answer = answer
    this.#context = context
  }

  addText(
    kind: TextSegment['kind'],
    text: string,
    logprobs: readonly TokenLogprob[] | undefined,
    events: ReplyEvent[],
  ): void {
    if (text === '') return
    const segment = this.#textPart(kind, events)
    if (segment.hasStarted && this.#queue.length === 1) {
      events.push(this.#delta(text, logprobs))
      return
    }
    segment.waiting.push({ text, logprobs })
    this.#advance(events)
  }

  addDetail(detail: Detail, events: ReplyEvent[]): void {
    addDetail(this.#textPart('reasoning', events).details, detail)
  }

  /** Links belong to the open text, or to the next text if none is open. */
  addAnnotation(annotation: Annotation): void {
    const list = this.#text?.annotations ?? this.#early
    if (list.length <= replyLimits.sources) list.push(annotation)
  }

  signText(data: string): void {
    const text = this.#text
    if (text) text.opaque = { issuer: this.#context.issuer, kind: 'signature', data }
  }

  addMedia(mime: string, source: MediaSource, events: ReplyEvent[]): void {
    this.#queue.push({ kind: 'media', mime, source })
    this.#advance(events)
  }

  /** A media part needs all its bytes at its start, so the pieces wait for the last one. */
  addAudio(data: string): void {
    this.#audio.push(data)
  }

  addCall(piece: CallPiece, events: ReplyEvent[]): void {
    const call = this.#calls.find(piece.index, piece.id, piece.name) ?? this.#newCall(piece)
    if (call.hasEnded) return
    if (call.id === '') {
      call.id = piece.id
      this.#calls.name(call)
    }
    // Some servers send a name in pieces, others repeat the whole name.
    if (!call.hasStarted && piece.name !== call.name) call.name += piece.name
    call.text.add(piece.text)
    call.opaque ??= piece.opaque
    this.#advance(events)
  }

  finish(raw: string, choice: unknown, events: ReplyEvent[]): void {
    this.#raw = raw
    this.#choice = choice
    this.flush(events)
  }

  /** Sends everything that waits, because no more pieces arrive. */
  flush(events: ReplyEvent[]): void {
    if (this.#audio.length > 0) {
      const { mime, data } = joinAudio(this.#audio.splice(0))
      this.#queue.push({ kind: 'media', mime, source: base64Source(data) })
    }
    for (let first = this.#queue.shift(); first; first = this.#queue.shift())
      this.#end(first, events)
  }

  ending(): Finish {
    return decodeFinish(this.#raw, this.#choice, this.#calls.count > 0, this.#context.replies)
  }

  #textPart(kind: TextSegment['kind'], events: ReplyEvent[]): TextSegment {
    const { last } = this.#queue
    if (last?.kind === kind) return last
    const segment = textSegment(kind)
    this.#queue.push(segment)
    if (kind === 'text') {
      this.#text = segment
      if (this.#early.length > 0) segment.annotations.push(...this.#early.splice(0))
    }
    this.#advance(events)
    return segment
  }

  #newCall({ index, form }: CallPiece): CallSegment {
    const call: CallSegment = {
      kind: 'call',
      index,
      form,
      id: '',
      sentId: '',
      name: '',
      text: new ArgumentsText(),
      hasStarted: false,
      hasEnded: false,
      opaque: undefined,
    }
    this.#queue.push(call)
    this.#calls.add(call)
    return call
  }

  /** Sends all of the first part, and the next part when the first is known to be complete. */
  #advance(events: ReplyEvent[]): void {
    for (let first = this.#queue.first; first; first = this.#queue.first) {
      this.#emit(first, events)
      if (this.#queue.length === 1 || !isComplete(first)) return
      this.#queue.shift()
      this.#end(first, events)
    }
  }

  #emit(segment: Segment, events: ReplyEvent[]): void {
    if (segment.kind === 'media') return
    if (segment.kind === 'call') {
      // The name is complete when the arguments begin.
      const text = segment.name === '' ? '' : segment.text.take()
      if (text === '') return
      this.#startCall(segment, events)
      events.push(this.#delta(text, undefined))
      return
    }
    if (segment.waiting.length === 0) return
    this.#start(segment, events)
    for (const { text, logprobs } of segment.waiting) events.push(this.#delta(text, logprobs))
    segment.waiting.length = 0
  }

  #end(segment: Segment, events: ReplyEvent[]): void {
    if (segment === this.#text) this.#text = undefined
    if (segment.kind === 'call' && segment.name === '') {
      this.#dropNameless(segment, events)
      return
    }
    this.#emit(segment, events)
    if (segment.kind === 'call') {
      this.#startCall(segment, events)
      segment.hasEnded = true
      events.push({ type: 'part-end', answer: this.#answer, opaque: segment.opaque })
      return
    }
    if (segment.kind === 'media') {
      events.push({ type: 'part-start', answer: this.#answer, part: headOf(segment) })
      events.push({ type: 'part-end', answer: this.#answer })
      return
    }
    const opaque = segment.opaque ?? packDetails(segment.details, this.#context.issuer)
    if (!segment.hasStarted && !opaque) return
    this.#start(segment, events)
    const found = segment.kind === 'text' ? this.#withSources(segment.annotations) : []
    const annotations = found.length === 0 ? undefined : found
    events.push({ type: 'part-end', answer: this.#answer, opaque, annotations })
  }

  /** Each source is sent once, with the first text that ends after the source has arrived. */
  #withSources(annotations: readonly Annotation[]): readonly Annotation[] {
    if (this.sources.length === 0) return annotations
    const sentUrls = new Set(annotations.map(({ url }) => url))
    const more = this.sources.filter(({ url }) => !sentUrls.has(url) && !this.#sentSources.has(url))
    for (const { url } of more) this.#sentSources.add(url)
    return [...annotations, ...more]
  }

  /** Arguments without a tool name mean that a piece was lost. Dropping them would change the answer. */
  #dropNameless(call: CallSegment, events: ReplyEvent[]): void {
    this.#calls.drop(call)
    if (call.text.isEmpty) return
    const fault = new Fault(
      'upstream_error',
      'The upstream called a tool without naming it. Try again.',
    )
    events.push({ type: 'fault', fault })
  }

  #startCall(call: CallSegment, events: ReplyEvent[]): void {
    if (call.hasStarted) return
    const isFree = call.id !== '' && !this.#usedIds.has(call.id)
    call.sentId = isFree ? call.id : this.#context.mint('call_')
    this.#usedIds.add(call.sentId)
    this.#start(call, events)
  }

  #start(segment: TextSegment | CallSegment, events: ReplyEvent[]): void {
    if (segment.hasStarted) return
    segment.hasStarted = true
    events.push({ type: 'part-start', answer: this.#answer, part: headOf(segment) })
  }

  #delta(text: string, logprobs: readonly TokenLogprob[] | undefined): ReplyEvent {
    return logprobs
      ? { type: 'part-delta', answer: this.#answer, text, logprobs }
      : { type: 'part-delta', answer: this.#answer, text }
  }
}
