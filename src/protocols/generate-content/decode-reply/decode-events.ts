import type { Finish, ReplyEvent } from '../../../core/neutral/reply-event.ts'
import { parseKeepingText } from '../../../wire/exact-json.ts'
import { isObject, type JsonObject, parseJson, stringAt } from '../../../wire/json.ts'
import type { SseFrame } from '../../../wire/sse-framer.ts'
import { LastReport } from '../../measure/last-report.ts'
import { type UsageTraits, usageIn, usageTraitsIn } from '../../reply-traits.ts'
import type { EventDecoder, UpstreamContext } from '../../translation.ts'
import { bareFault, readStreamFault } from '../faults.ts'
import { CandidateCompletion, candidateIndex } from '../values/completion.ts'
import { objectOf } from '../values/read-field.ts'
import { textOfCandidate } from '../values/reply-text.ts'
import { decodeUsage } from '../values/usage.ts'
import { CandidateReader } from './part-reader.ts'

const keptMembers: ReadonlySet<string> = new Set(['args'])

export function openDecoder(context: UpstreamContext): EventDecoder {
  const decoder = new ContentChunkDecoder(context)
  return {
    push(frame: SseFrame): ReplyEvent[] {
      const chunk = frame.data === undefined ? bareFault(frame) : parseChunk(frame.data)
      return isObject(chunk) ? decoder.read(chunk) : []
    },
    end: () => (decoder.mayEnd ? decoder.finish() : []),
    get isCertain() {
      return decoder.isCertain
    },
  }
}

/** The service sends no candidates when it has blocked the prompt. */
const withoutCandidates: Finish = { reason: 'content-filter', raw: undefined }
/** Candidates are numbered; this is the finish of one that did not arrive. */
const missing: Finish = { reason: 'other', raw: undefined }

/** Only calls contain JSON whose spelling matters, and few chunks contain calls. */
export function parseChunk(text: string): unknown {
  return text.includes('"args"') ? parseKeepingText(text, keptMembers) : parseJson(text)
}

export class ContentChunkDecoder {
  readonly #context: UpstreamContext
  readonly #usageTraits: UsageTraits
  readonly #candidates: CandidateReader[] = []
  readonly #completion = new CandidateCompletion()
  readonly #lastReport = new LastReport()
  #blocked: Finish | undefined
  #hasStarted = false
  #isOver = false

  constructor(context: UpstreamContext) {
    this.#context = context
    this.#usageTraits = usageTraitsIn(context.replies, 'generate-content')
  }

  /** Whether the reply is complete when the connection closes. */
  get mayEnd(): boolean {
    if (this.#isOver) return false
    const endsAtClose = this.#context.replies.stream?.endsAtClose === true
    return this.#completion.isComplete || (endsAtClose && this.#hasStarted)
  }

  get isCertain(): boolean {
    return !this.#isOver && this.#completion.isCertain
  }

  read(chunk: JsonObject): ReplyEvent[] {
    if (this.#isOver) return []
    if (isObject(chunk['error'])) {
      this.#isOver = true
      return [{ type: 'fault', fault: readStreamFault(chunk) }]
    }
    const events: ReplyEvent[] = []
    const usage = usageIn(chunk, 'usageMetadata', this.#usageTraits, decodeUsage)
    const isFirst = !this.#hasStarted
    if (isFirst) {
      this.#hasStarted = true
      const id = stringAt(chunk, 'responseId')
      events.push({ type: 'reply-start', id, model: stringAt(chunk, 'modelVersion') })
      // Sent before the answer, because the first event of some protocols reports the size of the prompt.
      if (usage) events.push({ type: 'usage', usage })
    }
    const { candidates } = chunk
    let isContent = false
    if (Array.isArray(candidates)) {
      candidates.forEach((candidate: unknown, position) => {
        if (!isObject(candidate)) return
        if (this.#readCandidate(candidate, position, events)) isContent = true
      })
    }
    this.#lastReport.note(usage, isContent)
    this.#readFeedback(chunk)
    if (usage && !isFirst) events.push({ type: 'usage', usage })
    return events
  }

  finish(): ReplyEvent[] {
    this.#isOver = true
    const events: ReplyEvent[] = []
    const finishes =
      this.#candidates.length === 0
        ? [this.#blocked ?? withoutCandidates]
        : Array.from(this.#candidates, (each) => each?.close(events) ?? missing)
    events.push({
      type: 'reply-end',
      finishes,
      ...(this.#lastReport.isBehind && { isUsageBehind: true }),
    })
    return events
  }

  /** Whether the candidate contains content. */
  #readCandidate(candidate: JsonObject, position: number, events: ReplyEvent[]): boolean {
    const index = candidateIndex(candidate, position)
    const decoder = this.#candidates[index] ?? new CandidateReader(index, this.#context)
    this.#candidates[index] = decoder
    decoder.read(candidate, events)
    const hasReason = (candidate['finishReason'] ?? undefined) !== undefined
    const { isContent } = textOfCandidate(candidate)
    this.#completion.note(index, hasReason, isContent)
    return isContent
  }

  #readFeedback(chunk: JsonObject): void {
    const feedback = objectOf(chunk, 'promptFeedback')
    if (!feedback) return
    this.#completion.noteFeedback(chunk)
    const raw = stringAt(feedback, 'blockReason')
    if (raw === undefined) return
    const explanation =
      stringAt(feedback, 'blockReasonMessage') ?? `The prompt was blocked (${raw}).`
    this.#blocked = { reason: 'content-filter', raw, explanation }
  }
}
