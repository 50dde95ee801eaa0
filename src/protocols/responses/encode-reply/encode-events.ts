import { Fault } from '../../../core/fault.ts'
import { noUsage, type TokenUsage } from '../../../core/money/usage.ts'
import type { Finish, ReplyEvent } from '../../../core/neutral/reply-event.ts'
import type { EventEncoder, ReplyContext } from '../../translation.ts'
import { encodeFailure, failureOf } from '../faults.ts'
import { encodeUsage } from '../values/usage.ts'
import { OutputWriter } from './output-writer.ts'
import { ItemPartWriter } from './part-writer.ts'
import { ResponseObject, type ResponseState, type Status } from './response-object.ts'

/** An encoder that also returns the whole response at the end, for callers that keep or return it. */
export type ResponseEncoder = EventEncoder & { finalResponse(): string | undefined }

export function openEncoder(context: ReplyContext): ResponseEncoder {
  return new ResponseWriter(context)
}

/** Writes the full sequence of events, from `response.created` to the final response. */
class ResponseWriter implements EventEncoder {
  readonly #response: ResponseObject
  readonly #output: OutputWriter
  readonly #parts: ItemPartWriter
  #isStarted = false
  #usage: TokenUsage | undefined
  #final: string | undefined

  constructor(context: ReplyContext) {
    this.#response = new ResponseObject(context)
    const { body, mint, setAside } = context
    const { include } = body
    const sealsThoughts = Array.isArray(include) && include.includes('reasoning.encrypted_content')
    this.#output = new OutputWriter(setAside)
    this.#parts = new ItemPartWriter(this.#output, { mint, sealsThoughts, setAside })
  }

  finalResponse(): string | undefined {
    return this.#final
  }

  /** This protocol has room for only one answer. */
  push(event: ReplyEvent): string {
    if (this.#final !== undefined || ('answer' in event && event.answer !== 0)) return ''
    switch (event.type) {
      case 'reply-start':
        return this.#start()
      case 'part-start':
        return this.#start() + this.#parts.start(event.part)
      case 'part-delta':
        return this.#parts.delta(event)
      case 'part-end':
        return this.#parts.end(event)
      case 'usage':
        this.#usage = event.usage
        return ''
      case 'reply-end':
        return this.#start() + this.#parts.end({}) + this.#end(event.finishes[0])
      case 'fault':
        return this.#start() + this.#fail(event.fault)
    }
  }

  #start(): string {
    if (this.#isStarted) return ''
    this.#isStarted = true
    const { emit } = this.#output
    const response = `"response":${this.#response.write({ status: 'in_progress', output: [] })},`
    return emit('response.created', response) + emit('response.in_progress', response)
  }

  #end(finish: Finish | undefined): string {
    switch (finish?.reason) {
      case 'length':
        return this.#finish('incomplete', 'max_output_tokens')
      case 'content-filter':
        return this.#endFiltered(finish.explanation)
      case 'malformed-call':
        return this.#fail(
          new Fault(
            'upstream_error',
            finish.explanation ?? 'The model wrote a tool call that cannot be read. Ask again.',
          ),
        )
      default:
        return this.#finish('completed')
    }
  }

  /** A refusal becomes a part of the message. An answer that a filter cut is incomplete. */
  #endFiltered(explanation: string | undefined): string {
    if (this.#parts.hasRefusal) return this.#finish('completed')
    if (explanation === undefined || explanation === '') {
      return this.#finish('incomplete', 'content_filter')
    }
    const isBare = this.#output.isEmpty
    const start = this.#parts.start({ type: 'refusal' })
    const refusal = start + this.#parts.delta({ text: explanation }) + this.#parts.end({})
    return (
      refusal + (isBare ? this.#finish('completed') : this.#finish('incomplete', 'content_filter'))
    )
  }

  #finish(status: 'completed' | 'incomplete', incompleteReason?: string): string {
    const closed = this.#output.close(status)
    const response = this.#conclude(status, { incompleteReason })
    return closed + this.#output.emit(`response.${status}`, `"response":${response},`)
  }

  /** An unfinished item is not shown as finished: a client must not run half a call. */
  #fail(fault: Fault): string {
    const response = this.#conclude('failed', { error: JSON.stringify(failureOf(fault)) })
    return encodeFailure(fault, response, this.#output.takeNumbers(2))
  }

  /** Some clients do not accept an answer without usage as complete. */
  #conclude(status: Status, ending: Partial<ResponseState>): string {
    const usage = this.#usage ?? (status === 'failed' ? undefined : noUsage)
    this.#final = this.#response.write({
      status,
      output: this.#output.items,
      usage: usage && encodeUsage(usage),
      ...ending,
    })
    return this.#final
  }
}
