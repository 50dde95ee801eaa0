import type { ReplyEvent } from '../../../../src/core/neutral/reply-event.ts'
import type { JsonObject } from '../../../../src/wire/json.ts'
import { opening, target } from './helpers.ts'

export const created = { type: 'response.created', response: { id: 'resp_up', model: 'up' } }
export const begun: ReplyEvent = { type: 'reply-start', id: 'resp_up', model: 'up' }
export const plain: JsonObject = { id: 'resp_up', model: 'up', status: 'completed', output: [] }
export const completed = { type: 'response.completed', response: plain }
export const at = (index: number): JsonObject => ({ output_index: index, item_id: `item_${index}` })
export const added = (index: number, item: JsonObject) => ({
  type: 'response.output_item.added',
  ...at(index),
  item,
})
export const done = (index: number, item: JsonObject) => ({
  type: 'response.output_item.done',
  ...at(index),
  item: { id: `item_${index}`, ...item },
})
export const words = (index: number, delta: string) => ({
  type: 'response.output_text.delta',
  ...at(index),
  content_index: 0,
  delta,
})
export const message = (text: string, more: JsonObject = {}) => ({
  type: 'message',
  role: 'assistant',
  content: [{ type: 'output_text', text, annotations: [], ...more }],
})
export const call = (id: string, text: string) => ({
  type: 'function_call',
  call_id: id,
  name: 'f',
  arguments: text,
})
export const args = (index: number, delta: string) => ({
  type: 'response.function_call_arguments.delta',
  ...at(index),
  delta,
})
export const text: ReplyEvent = opening({ type: 'text' })
export const calling = (id: string): ReplyEvent =>
  opening({ type: 'tool-call', id, name: 'f', form: 'function' })
export const sealed = { issuer: target.issuer, kind: 'sealed', data: 'gAAAA' } as const
export function ended(reason: string, raw: string | undefined = 'completed'): ReplyEvent {
  return { type: 'reply-end', finishes: [{ reason, raw }] } as ReplyEvent
}
