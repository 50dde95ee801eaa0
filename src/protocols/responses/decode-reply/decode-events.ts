import type { ReplyEvent } from '../../../core/neutral/reply-event.ts'
import { parseExact, writeJson } from '../../../wire/exact-json.ts'
import {
  countAt,
  isObject,
  type JsonObject,
  objectAt,
  parseJson,
  stringAt,
} from '../../../wire/json.ts'
import type { SseFrame } from '../../../wire/sse-framer.ts'
import type { EventDecoder, UpstreamContext } from '../../translation.ts'
import { readStreamFault } from '../faults.ts'
import { decodeAnnotations } from '../values/annotations.ts'
import { decodeLogprobs } from '../values/logprobs.ts'
import { decodeEnding, exactItems } from './decode-reply.ts'
import type { ItemRef } from './item-index.ts'
import { OutputReader } from './part-reader.ts'

export function openDecoder(context: UpstreamContext): EventDecoder {
  return new ResponseReader(context)
}

class ResponseReader implements EventDecoder {
  readonly #output: OutputReader
  #isStarted = false
  #isOver = false

  constructor(context: UpstreamContext) {
    this.#output = new OutputReader(context)
  }

  push({ event: name, data }: SseFrame): ReplyEvent[] {
    if (data === undefined || this.#isOver) return []
    const event = parseJson(data)
    if (!isObject(event)) return []
    const type = stringAt(event, 'type') ?? name ?? (event['error'] ? 'error' : '')
    this.#read(type, event, data)
    return this.#output.queue.take()
  }

  /** A stream that closes without its last event was cut. */
  end(): ReplyEvent[] {
    return []
  }

  #read(type: string, event: JsonObject, data: string): void {
    switch (type) {
      case 'response.created':
      case 'response.in_progress':
      case 'response.queued':
        this.#start(objectAt(event, 'response'))
        break
      case 'response.completed':
      case 'response.incomplete':
      case 'response.failed':
        this.#end(type, event, data)
        break
      case 'error':
        this.#isOver = true
        this.#output.queue.add({ type: 'fault', fault: readStreamFault(event) })
        break
      default:
        this.#start(undefined)
        this.#readOutput(type, event, data)
    }
  }

  #start(response: JsonObject | undefined): void {
    if (this.#isStarted) return
    this.#isStarted = true
    this.#output.queue.add({
      type: 'reply-start',
      id: response && stringAt(response, 'id'),
      model: response && stringAt(response, 'model'),
    })
  }

  #end(type: string, event: JsonObject, data: string): void {
    const response = objectAt(event, 'response') ?? {}
    this.#start(response)
    this.#isOver = true
    const reported = stringAt(response, 'status')
    const status =
      reported === 'incomplete' || reported === 'failed' ? reported : type.slice('response.'.length)
    const exact = exactItems(() => objectIn(parseExact(data), 'response'))
    const events = decodeEnding(response, status, this.#output, exact)
    for (const each of events) this.#output.queue.add(each)
  }

  #readOutput(type: string, event: JsonObject, data: string): void {
    const output = this.#output
    const item = objectAt(event, 'item')
    const ref = refOf(event, item)
    const index = countAt(event, 'content_index') ?? 0
    const delta = stringAt(event, 'delta') ?? ''
    switch (type) {
      case 'response.output_text.delta':
        output.text(ref, index, delta, decodeLogprobs(event['logprobs']))
        break
      case 'response.function_call_arguments.delta':
      case 'response.custom_tool_call_input.delta':
        output.callText(ref, delta)
        break
      case 'response.reasoning_summary_text.delta':
        output.thought(ref, 'summary', countAt(event, 'summary_index') ?? 0, delta)
        break
      case 'response.reasoning_text.delta':
        output.thought(ref, 'content', index, delta)
        break
      case 'response.refusal.delta':
        output.refusal(ref, index, delta)
        break
      case 'response.output_text.annotation.added':
        output.annotation(ref, index, decodeAnnotations([event['annotation']]))
        break
      case 'response.function_call_arguments.done':
        output.callWhole(ref, stringAt(event, 'arguments'))
        break
      case 'response.custom_tool_call_input.done':
        output.callWhole(ref, stringAt(event, 'input'))
        break
      case 'response.content_part.done':
        output.contentDone(ref, index, objectAt(event, 'part') ?? {})
        break
      case 'response.output_item.added':
        output.itemAdded(ref, item ?? {})
        break
      case 'response.output_item.done':
        if (item) output.itemDone(ref, item, () => writeJson(objectIn(parseExact(data), 'item')))
        break
    }
  }
}

/** A server that sends neither index nor id has only one item. */
function refOf(event: JsonObject, item: JsonObject | undefined): ItemRef {
  const index = countAt(event, 'output_index')
  const id = stringAt(event, 'item_id') ?? (item && stringAt(item, 'id'))
  return { index: index ?? (id === undefined ? 0 : undefined), id }
}

function objectIn(value: unknown, name: string): JsonObject {
  return isObject(value) ? (objectAt(value, name) ?? {}) : {}
}
