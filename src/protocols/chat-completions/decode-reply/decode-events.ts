import type { Annotation } from '../../../core/neutral/model-request.ts'
import type { ReplyEvent } from '../../../core/neutral/reply-event.ts'
import { parseKeepingText } from '../../../wire/exact-json.ts'
import { isObject, type JsonObject, objectAt, parseJson, stringAt } from '../../../wire/json.ts'
import type { SseFrame } from '../../../wire/sse-framer.ts'
import { Completion } from '../../completion.ts'
import { LastReport } from '../../measure/last-report.ts'
import { type UsageTraits, usageIn, usageTraitsIn } from '../../reply-traits.ts'
import type { EventDecoder, UpstreamContext } from '../../translation.ts'
import { readStreamFault } from '../faults.ts'
import { decodeSources } from '../values/annotations.ts'
import { choiceIndex } from '../values/choice-index.ts'
import { finishOf } from '../values/finish-reason.ts'
import { textOfMessage } from '../values/reply-text.ts'
import { decodeUsage } from '../values/usage.ts'
import { decodeDelta } from './decode-delta.ts'
import { ChoiceReader } from './part-reader.ts'

const terminator = '[DONE]'
const kept = new Set(['arguments'])

export function openDecoder(context: UpstreamContext): EventDecoder {
  return new ChatChunkDecoder(context)
}

/**
 * Arguments are text, so a plain parse keeps their spelling. Only a server that sends them as an object needs the exact
 * parse.
 */
export function parseReply(text: string): unknown {
  const value = parseJson(text)
  return /"arguments"\s*:\s*\{/.test(text) ? parseKeepingText(text, kept) : value
}

export class ChatChunkDecoder implements EventDecoder {
  readonly #context: UpstreamContext
  readonly #usageTraits: UsageTraits
  readonly #answers: ChoiceReader[] = []
  readonly #completion: Completion
  readonly #lastReport = new LastReport()
  #sources: readonly Annotation[] = []
  #hasStarted = false
  #hasEnded = false
  /** The terminator has arrived, and the usage follows it. */
  #awaitsReport = false

  constructor(context: UpstreamContext) {
    this.#context = context
    this.#usageTraits = usageTraitsIn(context.replies, 'chat-completions')
    this.#completion = new Completion(context.answers)
  }

  push(frame: SseFrame): ReplyEvent[] {
    const { data } = frame
    if (data === undefined || this.#hasEnded) return []
    if (data === terminator) return this.#readTerminator()
    const chunk = parseReply(data)
    if (!isObject(chunk)) return []
    const hasError = chunk['error'] !== undefined && chunk['error'] !== null
    if (hasError || frame.event === 'error') {
      this.#hasEnded = true
      return [{ type: 'fault', fault: readStreamFault(data) }]
    }
    const events = this.read(chunk, 'delta')
    const isLast = this.#awaitsReport && events.some(({ type }) => type === 'usage')
    return isLast ? [...events, ...this.finish()] : events
  }

  #readTerminator(): ReplyEvent[] {
    if (this.#context.replies.stream?.reportsAfterEnd !== true) return this.finish()
    this.#awaitsReport = true
    return []
  }

  /** Some servers leave out the terminator. The finish reasons then show that the stream is complete. */
  end(): ReplyEvent[] {
    if (this.#hasEnded) return []
    const endsAtClose = this.#context.replies.stream?.endsAtClose === true
    const isOver = this.#awaitsReport || (endsAtClose && this.#hasStarted)
    return isOver || this.#completion.isComplete ? this.finish() : []
  }

  get isCertain(): boolean {
    return !this.#hasEnded && (this.#awaitsReport || this.#completion.isCertain)
  }

  read(chunk: JsonObject, member: 'delta' | 'message'): ReplyEvent[] {
    const events: ReplyEvent[] = []
    const usage = usageIn(chunk, 'usage', this.#usageTraits, decodeUsage)
    // Sent before the answer, because the first event of some protocols reports the size of the prompt.
    const isFirst = !this.#hasStarted && usage !== undefined
    if (isFirst) {
      this.#start(chunk, events)
      events.push({ type: 'usage', usage })
    }
    this.#sources = decodeSources(chunk) ?? this.#sources
    const choices = chunk['choices']
    let isContent = false
    if (Array.isArray(choices)) {
      for (const choice of choices)
        if (isObject(choice) && this.#readChoice(choice, chunk, member, events)) isContent = true
    }
    this.#lastReport.note(usage, isContent)
    if (usage && !isFirst) events.push({ type: 'usage', usage })
    return this.#untilFault(events)
  }

  finish(): ReplyEvent[] {
    this.#hasEnded = true
    const events: ReplyEvent[] = []
    this.#start({}, events)
    if (this.#answers.length === 0) this.#answer(0)
    const finishes = Array.from(this.#answers, (_, index) => {
      const answer = this.#answer(index)
      answer.flush(events)
      return answer.ending()
    })
    events.push({
      type: 'reply-end',
      finishes,
      ...(this.#lastReport.isBehind && { isUsageBehind: true }),
    })
    return this.#untilFault(events)
  }

  /** Drops everything after a fault. */
  #untilFault(events: ReplyEvent[]): ReplyEvent[] {
    const at = events.findIndex((event) => event.type === 'fault')
    if (at < 0) return events
    this.#hasEnded = true
    return events.slice(0, at + 1)
  }

  /** Whether the choice contains text. */
  #readChoice(
    choice: JsonObject,
    chunk: JsonObject,
    member: 'delta' | 'message',
    events: ReplyEvent[],
  ): boolean {
    this.#start(chunk, events)
    const index = choiceIndex(choice)
    const answer = this.#answer(index)
    answer.sources = this.#sources
    const delta = objectAt(choice, member)
    if (delta) decodeDelta(delta, choice, answer, this.#context, events)
    const finish = finishOf(choice)
    if (finish !== undefined) answer.finish(finish, choice, events)
    const isContent = textOfMessage(delta, this.#context.replies) !== ''
    this.#completion.note(index, finish !== undefined, isContent)
    return isContent
  }

  #start(chunk: JsonObject, events: ReplyEvent[]): void {
    if (this.#hasStarted) return
    this.#hasStarted = true
    const id = stringAt(chunk, 'id')
    const model = stringAt(chunk, 'model')
    events.push({
      type: 'reply-start',
      id: id === '' ? undefined : id,
      model: model === '' ? undefined : model,
    })
  }

  #answer(index: number): ChoiceReader {
    const answer = this.#answers[index] ?? new ChoiceReader(index, this.#context)
    this.#answers[index] = answer
    return answer
  }
}
