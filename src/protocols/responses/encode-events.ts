import { Fault } from '../../core/fault.ts'
import type { JsonText, Opaque } from '../../core/model-request.ts'
import type { Finish, PartDelta, PartEnd, PartHead, ReplyEvent } from '../../core/reply-event.ts'
import { noUsage, type TokenUsage } from '../../core/usage.ts'
import type { EventEncoder, ReplyContext } from '../translation.ts'
import { type Place, sealFor } from './carrier.ts'
import { encodeFailure, failureOf } from './faults.ts'
import { OpenPart } from './open-part.ts'
import {
  callItem,
  type ItemShape,
  type ItemStatus,
  messageItem,
  reasoningItem,
} from './output-items.ts'
import { ResponseObject, type ResponseState, type Status } from './response-object.ts'
import { encodeUsage } from './usage.ts'

/** An encoder that also tells the whole response once it is over, for those who keep or return it. */
export interface ResponseEncoder extends EventEncoder {
  finalResponse(): JsonText | undefined
}

export function openEncoder(context: ReplyContext): ResponseEncoder {
  return new ResponseWriter(context)
}

interface OpenItem {
  readonly shape: ItemShape
  readonly isMessage: boolean
  content: string
  contentCount: number
}

/**
 * Writes the full ladder of events. An item is closed only when the next one begins or the reply ends: parts of
 * text in a row are parts of one message, and only the end tells whether the last item is complete.
 */
class ResponseWriter implements ResponseEncoder {
  readonly #context: ReplyContext
  readonly #response: ResponseObject
  readonly #output: string[] = []
  #sequence = 0
  #isStarted = false
  #item: OpenItem | undefined
  #head: PartHead | undefined
  #part: OpenPart | undefined
  #usage: TokenUsage | undefined
  #hasRefusal = false
  #final: string | undefined

  constructor(context: ReplyContext) {
    this.#context = context
    this.#response = new ResponseObject(context)
  }

  finalResponse(): string | undefined {
    return this.#final
  }

  push(event: ReplyEvent): string {
    if (this.#final !== undefined) return ''
    switch (event.type) {
      case 'reply-start':
        return this.#start()
      case 'part-start':
        return event.answer === 0 ? this.#start() + this.#startPart(event.part) : ''
      case 'part-delta':
        return event.answer === 0 && event.text !== '' ? this.#delta(event) : ''
      case 'part-end':
        return event.answer === 0 ? this.#endPart(event) : ''
      case 'usage':
        this.#usage = event.usage
        return ''
      case 'reply-end':
        return this.#start() + this.#end(event.finishes[0])
      case 'fault':
        return this.#start() + this.#fail(event.fault)
    }
  }

  #emit = (type: string, members: string): string => {
    const number = this.#sequence
    this.#sequence += 1
    return `event: ${type}\ndata: {"type":"${type}",${members}"sequence_number":${number}}\n\n`
  }

  #start(): string {
    if (this.#isStarted) return ''
    this.#isStarted = true
    const response = `"response":${this.#response.write({ status: 'in_progress', output: [] })},`
    return this.#emit('response.created', response) + this.#emit('response.in_progress', response)
  }

  /** Text and thoughts open nothing before their first word. */
  #startPart(head: PartHead): string {
    this.#head = head
    this.#part = undefined
    switch (head.type) {
      case 'text':
      case 'refusal':
      case 'reasoning':
        return ''
      case 'tool-call': {
        const carried = head.opaque ? this.#carry(head.opaque, 'next') : ''
        const id = this.#context.mint(head.form === 'custom' ? 'ctc_' : 'fc_')
        const opened = this.#openItem(callItem(id, head), false)
        const kind =
          head.form === 'custom'
            ? 'response.custom_tool_call_input'
            : 'response.function_call_arguments'
        this.#part = this.#openPart(kind, '')
        return carried + opened
      }
      case 'media': {
        if (head.source.type !== 'base64' || !head.mime.startsWith('image/')) return ''
        const id = this.#context.mint('ig_')
        const result = JSON.stringify(head.source.data)
        return this.#wholeItem(
          `{"id":"${id}","type":"image_generation_call","status":"completed","result":${result}}`,
        )
      }
      case 'hosted':
        return head.protocol === 'responses' ? this.#wholeItem(head.json) : ''
    }
  }

  #delta(event: PartDelta): string {
    if (this.#part) return this.#part.delta(event.text, event.logprobs)
    switch (this.#head?.type) {
      case 'text':
        return this.#openContent('output_text') + this.#delta(event)
      case 'refusal':
        this.#hasRefusal = true
        return this.#openContent('refusal') + this.#delta(event)
      case 'reasoning':
        return this.#openSummary() + this.#delta(event)
      default:
        return ''
    }
  }

  #openPart(kind: string, index: string): OpenPart {
    const place = `"item_id":"${this.#item?.shape.id}","output_index":${this.#output.length},${index}`
    return new OpenPart(this.#emit, {
      deltaType: `${kind}.delta`,
      doneType: `${kind}.done`,
      place,
    })
  }

  #contentPlace(): string {
    return `"item_id":"${this.#item?.shape.id}","output_index":${this.#output.length},"content_index":${this.#item?.contentCount ?? 0},`
  }

  #openContent(type: 'output_text' | 'refusal'): string {
    const opened = this.#item?.isMessage
      ? ''
      : this.#openItem(messageItem(this.#context.mint('msg_')), true)
    const empty =
      type === 'refusal'
        ? '{"type":"refusal","refusal":""}'
        : '{"type":"output_text","text":"","annotations":[],"logprobs":[]}'
    this.#part = this.#openPart(
      `response.${type}`,
      `"content_index":${this.#item?.contentCount ?? 0},`,
    )
    const added = `${this.#contentPlace()}"part":${empty},`
    return opened + this.#emit('response.content_part.added', added)
  }

  #summaryPlace(): string {
    return `"item_id":"${this.#item?.shape.id}","output_index":${this.#output.length},"summary_index":0,`
  }

  #openSummary(): string {
    const opened = this.#openItem(reasoningItem(this.#context.mint('rs_')), false)
    this.#part = this.#openPart('response.reasoning_summary_text', '"summary_index":0,')
    const part = `${this.#summaryPlace()}"part":{"type":"summary_text","text":""},`
    return opened + this.#emit('response.reasoning_summary_part.added', part)
  }

  #endPart({ opaque, annotations }: PartEnd): string {
    const head = this.#head
    const part = this.#part
    this.#head = undefined
    this.#part = undefined
    switch (head?.type) {
      case 'text': {
        let text = ''
        if (part) {
          const list = annotations ?? []
          const { events, json } = part.annotations(list)
          text = events + part.done('text') + this.#endContent(part.outputText(json))
        }
        return opaque ? text + this.#carry(opaque, 'last') : text
      }
      case 'refusal': {
        if (!part) return ''
        const content = `{"type":"refusal","refusal":${JSON.stringify(part.text)}}`
        return part.done('refusal') + this.#endContent(content)
      }
      case 'reasoning':
        return this.#endReasoning(part, opaque)
      case 'tool-call': {
        const late = opaque && !head.opaque ? opaque : undefined
        return this.#endCall(head.form, part) + (late ? this.#carry(late, 'last') : '')
      }
      default:
        return ''
    }
  }

  #endContent(content: string): string {
    const done = this.#emit(
      'response.content_part.done',
      `${this.#contentPlace()}"part":${content},`,
    )
    const item = this.#item
    if (item) {
      item.content += item.contentCount === 0 ? content : `,${content}`
      item.contentCount += 1
    }
    return done
  }

  #endReasoning(part: OpenPart | undefined, opaque: Opaque | undefined): string {
    const sealed = opaque ? `,"encrypted_content":"${sealFor('own', opaque)}"` : ''
    if (!part) {
      if (!opaque) return ''
      const opened = this.#openItem(reasoningItem(this.#context.mint('rs_')), false)
      this.#fill(`"summary":[]${sealed}`)
      return opened
    }
    const summary = `{"type":"summary_text","text":${JSON.stringify(part.text)}}`
    const done =
      part.done('text') +
      this.#emit(
        'response.reasoning_summary_part.done',
        `${this.#summaryPlace()}"part":${summary},`,
      )
    this.#fill(`"summary":[${summary}]${sealed}`)
    return done
  }

  /** A function without arguments is called with an empty object: clients parse what they get. */
  #endCall(form: 'function' | 'custom', part: OpenPart | undefined): string {
    if (!part) return ''
    const filler = form === 'function' && part.text === '' ? part.delta('{}', undefined) : ''
    this.#fill(JSON.stringify(part.text))
    return filler + part.done(form === 'custom' ? 'input' : 'arguments')
  }

  #fill(content: string): void {
    if (this.#item) this.#item.content = content
  }

  /** A signature that has no place of its own in this protocol: see `carrier.ts`. */
  #carry(opaque: Opaque, place: Place): string {
    const opened = this.#openItem(reasoningItem(this.#context.mint('rs_')), false)
    this.#fill(`"summary":[],"encrypted_content":"${sealFor(place, opaque)}"`)
    return opened
  }

  #openItem(shape: ItemShape, isMessage: boolean): string {
    const closed = this.#closeItem('completed')
    this.#item = { shape, isMessage, content: '', contentCount: 0 }
    const added = `"output_index":${this.#output.length},"item":${shape.write('in_progress', '')},`
    return closed + this.#emit('response.output_item.added', added)
  }

  #wholeItem(json: string): string {
    const closed = this.#closeItem('completed')
    const members = `"output_index":${this.#output.length},"item":${json},`
    this.#output.push(json)
    return (
      closed +
      this.#emit('response.output_item.added', members) +
      this.#emit('response.output_item.done', members)
    )
  }

  #closeItem(status: ItemStatus): string {
    const item = this.#item
    if (!item) return ''
    this.#item = undefined
    const json = item.shape.write(status, item.content)
    const done = `"output_index":${this.#output.length},"item":${json},`
    this.#output.push(json)
    return this.#emit('response.output_item.done', done)
  }

  #end(finish: Finish | undefined): string {
    const left = this.#head ? this.#endPart({ type: 'part-end', answer: 0 }) : ''
    switch (finish?.reason) {
      case 'length':
        return left + this.#finish('incomplete', 'max_output_tokens')
      case 'content-filter':
        return left + this.#endFiltered(finish.explanation)
      case 'malformed-call':
        return (
          left +
          this.#fail(
            new Fault(
              'upstream_error',
              finish.explanation ?? 'The model wrote a tool call that cannot be read. Ask again.',
            ),
          )
        )
      default:
        return left + this.#finish('completed', undefined)
    }
  }

  /** A model that refuses says so in a part of the message; an answer that was cut off is incomplete. */
  #endFiltered(explanation: string | undefined): string {
    const isBare = this.#output.length === 0 && !this.#item
    if (this.#hasRefusal) return this.#finish('completed', undefined)
    if (explanation === undefined || explanation === '') {
      return this.#finish('incomplete', 'content_filter')
    }
    this.#head = { type: 'refusal' }
    const said = this.#delta({ type: 'part-delta', answer: 0, text: explanation })
    const refusal = said + this.#endPart({ type: 'part-end', answer: 0 })
    return (
      refusal +
      (isBare ? this.#finish('completed', undefined) : this.#finish('incomplete', 'content_filter'))
    )
  }

  #finish(status: 'completed' | 'incomplete', incompleteReason: string | undefined): string {
    const closed = this.#closeItem(status)
    const response = this.#conclude(status, { incompleteReason })
    return closed + this.#emit(`response.${status}`, `"response":${response},`)
  }

  /** An item that is not finished is not shown as if it were: half a call must not be run. */
  #fail(fault: Fault): string {
    const response = this.#conclude('failed', { error: JSON.stringify(failureOf(fault)) })
    const sequence = this.#sequence
    this.#sequence += 2
    return encodeFailure(fault, response, sequence)
  }

  /** Some clients do not take an answer for complete that has no usage at all. */
  #conclude(status: Status, ending: Partial<ResponseState>): string {
    const usage = status === 'failed' ? this.#usage : (this.#usage ?? noUsage)
    this.#final = this.#response.write({
      status,
      output: this.#output,
      usage: usage && encodeUsage(usage),
      ...ending,
    })
    return this.#final
  }
}
