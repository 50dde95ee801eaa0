import type { TokenUsage } from '../../../core/money/usage.ts'
import type {
  Finish,
  PartDelta,
  PartEnd,
  PartStart,
  ReplyEvent,
} from '../../../core/neutral/reply-event.ts'
import type { EventEncoder, ReplyContext } from '../../translation.ts'
import { isLegacy } from '../decode-request/decode-request.ts'
import { encodeFaultEvent } from '../faults.ts'
import { encodeUsage } from '../values/usage.ts'
import { ChoiceWriter, type WriteChunk } from './part-writer.ts'

/** Writes a stream of chunks: the role, the content, the finish reasons, usage if requested, `[DONE]`. */
export function openEncoder(context: ReplyContext): EventEncoder {
  return new StreamEncoder(context)
}

class StreamEncoder implements EventEncoder {
  readonly #head: string
  readonly #tail: string
  readonly #wantsUsage: boolean
  readonly #isLegacy: boolean
  readonly #answers: ChoiceWriter[] = []
  #usage: TokenUsage | undefined

  constructor(context: ReplyContext) {
    const id = JSON.stringify(context.mint('chatcmpl-'))
    const model = JSON.stringify(context.request.model)
    this.#head = `data: {"id":${id},"object":"chat.completion.chunk","created":${context.createdAtSeconds},"model":${model},"choices":[`
    this.#wantsUsage = context.wantsStreamUsage
    // A client that requests usage gets the member in every chunk, as OpenAI sends it.
    this.#tail = this.#wantsUsage ? ',"usage":null}\n\n' : '}\n\n'
    this.#isLegacy = isLegacy(context.body)
  }

  push(event: ReplyEvent): string {
    switch (event.type) {
      case 'part-delta':
        return this.#pushPart(event)
      case 'part-start':
      case 'part-end':
        return this.#pushPart(event)
      case 'reply-start':
        return this.#answer(0).begin()
      case 'usage':
        this.#usage = event.usage
        return ''
      case 'reply-end':
        return this.#end(event.finishes)
      case 'fault':
        return encodeFaultEvent(event.fault)
    }
  }

  #pushPart(event: PartStart | PartDelta | PartEnd): string {
    const answer = this.#answers[event.answer] ?? this.#answer(event.answer)
    return answer.begin() + answer.push(event)
  }

  #answer(index: number): ChoiceWriter {
    const answer = this.#answers[index] ?? new ChoiceWriter(index, this.#write, this.#isLegacy)
    this.#answers[index] = answer
    return answer
  }

  readonly #write: WriteChunk = (answer, delta, logprobs = 'null', finish = 'null') =>
    `${this.#head}{"index":${answer},"delta":${delta},"logprobs":${logprobs},"finish_reason":${finish}}]${this.#tail}`

  #end(finishes: readonly Finish[]): string {
    const count = Math.max(1, this.#answers.length, finishes.length)
    let text = ''
    for (let index = 0; index < count; index += 1) {
      const answer = this.#answer(index)
      text += answer.begin() + answer.end(finishes[index])
    }
    if (this.#wantsUsage && this.#usage)
      text += `${this.#head}],"usage":${JSON.stringify(encodeUsage(this.#usage))}}\n\n`
    return `${text}data: [DONE]\n\n`
  }
}
