import { noUsage } from '../../../core/money/usage.ts'
import type {
  PartEnd,
  PartHead,
  PartStart,
  ReplyEvent,
  TokenLogprob,
} from '../../../core/neutral/reply-event.ts'
import { GrowingText } from '../../../core/runtime/growing-text.ts'
import { onOneLine } from '../../../wire/on-one-line.ts'
import type { EventEncoder, ReplyContext } from '../../translation.ts'
import { encodeFault } from '../faults.ts'
import { Grounding } from '../values/annotations.ts'
import { listEnd, listLead } from '../values/list-frame.ts'
import {
  encodeCandidate,
  finishMembers,
  logprobsMember,
  ReplyEnvelope,
} from './encode-candidate.ts'
import { ContentPartWriter } from './part-writer.ts'

interface AnswerState {
  readonly writer: ContentPartWriter
  readonly grounding: Grounding
  head: PartHead | undefined
  /** The text of the open part, or the arguments of the open call. A call is only written whole. */
  text: GrowingText
  readonly refusal: GrowingText
  hasParts: boolean
}

/** Writes one chunk for each piece of text and each call. Only the last chunk has finish reasons and usage. */
export function openEncoder(context: ReplyContext): EventEncoder {
  return new GenerateContentEncoder(context)
}

class GenerateContentEncoder implements EventEncoder {
  readonly #context: ReplyContext
  readonly #envelope: ReplyEnvelope
  readonly #answers: AnswerState[] = []
  #usage = noUsage
  #isFirst = true

  constructor(context: ReplyContext) {
    this.#context = context
    this.#envelope = new ReplyEnvelope(context)
  }

  push(event: ReplyEvent): string {
    switch (event.type) {
      case 'reply-start':
        return ''
      case 'part-start':
        return this.#begin(event)
      case 'part-delta':
        return this.#add(event.answer, event.text, event.logprobs)
      case 'part-end':
        return this.#finishPart(event)
      case 'usage':
        this.#usage = event.usage
        return ''
      case 'reply-end':
        return this.#end(event)
      case 'fault': {
        const body = JSON.stringify(encodeFault(event.fault, this.#context.requestId))
        return this.#framed(body) + this.#terminator()
      }
    }
  }

  #begin({ answer, part }: PartStart): string {
    const state = this.#stateOf(answer)
    state.head = part
    state.text = new GrowingText()
    return part.type === 'hosted'
      ? this.#chunk(answer, state.writer.hosted(part.protocol, part.json))
      : ''
  }

  #add(answer: number, text: string, logprobs: readonly TokenLogprob[] | undefined): string {
    const state = this.#stateOf(answer)
    switch (state.head?.type) {
      case 'text':
        state.text.add(text)
        return this.#chunk(answer, state.writer.text(text), logprobsMember(logprobs))
      case 'reasoning':
        return this.#chunk(answer, state.writer.thought(text))
      case 'refusal':
        state.refusal.add(text)
        return ''
      case 'tool-call':
        state.text.add(text)
        return ''
      default:
        return ''
    }
  }

  #finishPart({ answer, opaque, annotations }: PartEnd): string {
    const state = this.#stateOf(answer)
    const { head, writer } = state
    state.head = undefined
    switch (head?.type) {
      case 'text':
        if (annotations) state.grounding.add(annotations, state.text.toString(), 0)
        return opaque ? this.#chunk(answer, writer.text('', opaque)) : ''
      case 'reasoning':
        return this.#chunk(answer, writer.endThought(opaque))
      case 'tool-call': {
        const call = { ...head, argumentsText: state.text.toString() }
        return this.#chunk(answer, writer.call(call, opaque ?? head.opaque))
      }
      case 'media':
        return this.#chunk(answer, writer.media(head.mime, head.source, opaque))
      default:
        return ''
    }
  }

  #end({ finishes }: Extract<ReplyEvent, { type: 'reply-end' }>): string {
    const count = Math.max(1, this.#answers.length, finishes.length)
    const candidates = Array.from({ length: count }, (_, answer) => {
      const state = this.#stateOf(answer)
      const waiting = state.writer.flush()
      // The service also ends a stream with an empty text.
      const parts = waiting.length === 0 && state.hasParts ? ['{"text":""}'] : waiting
      const finish = finishes[answer] ?? { reason: 'other', raw: undefined }
      return encodeCandidate(
        answer,
        parts,
        finishMembers(finish, state.refusal.toString(), state.grounding),
      )
    })
    const body = this.#envelope.write(candidates.join(','), this.#usage)
    // A failure may still replace the end, so nothing counts as sent here.
    return this.#framed(body) + this.#terminator()
  }

  #chunk(answer: number, parts: readonly string[], members: string = ''): string {
    if (parts.length === 0) return ''
    this.#stateOf(answer).hasParts = true
    const text = this.#framed(
      this.#envelope.write(encodeCandidate(answer, parts, members), undefined),
    )
    this.#isFirst = false
    return text
  }

  #framed(body: string): string {
    // Arguments keep the model's spelling, which may span several lines. An event has one line.
    if (this.#context.framing === 'sse') return `data: ${onOneLine(body)}\n\n`
    return listLead(this.#isFirst) + body
  }

  #terminator(): string {
    return this.#context.framing === 'sse' ? '' : listEnd
  }

  #stateOf(answer: number): AnswerState {
    const known = this.#answers[answer]
    if (known) return known
    const state: AnswerState = {
      writer: new ContentPartWriter({ isWhole: false }),
      grounding: new Grounding(),
      head: undefined,
      text: new GrowingText(),
      refusal: new GrowingText(),
      hasParts: false,
    }
    this.#answers[answer] = state
    return state
  }
}
