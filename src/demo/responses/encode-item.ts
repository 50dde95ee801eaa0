import type { JsonObject } from '../../wire/json.ts'
import type { AnswerPart } from '../answer.ts'
import type { DemoExchange } from '../demo-protocol.ts'
import { listOf } from '../json-value.ts'
import { seededId, seededSignature } from '../seed.ts'

export type DemoItemStatus = 'in_progress' | 'completed' | 'incomplete'

export function encodeTextPart(text: string): JsonObject {
  return { type: 'output_text', text, annotations: [], logprobs: [] }
}

/** One output item: complete, or empty as in its `in_progress` announcement. */
export function encodeItem(
  exchange: DemoExchange,
  part: AnswerPart,
  index: number,
  status: DemoItemStatus,
): JsonObject {
  const { seed } = exchange
  const isEmpty = status === 'in_progress'
  switch (part.kind) {
    case 'reasoning':
      return {
        id: seededId(seed, 'rs_', index),
        type: 'reasoning',
        summary: isEmpty ? [] : [{ type: 'summary_text', text: part.text }],
        ...encodeEncrypted(exchange, isEmpty),
      }
    case 'text':
      return {
        id: seededId(seed, 'msg_', index),
        type: 'message',
        status,
        role: 'assistant',
        content: isEmpty ? [] : [encodeTextPart(part.text)],
      }
    case 'tool-call':
      return {
        id: seededId(seed, 'fc_', index),
        type: 'function_call',
        status,
        call_id: seededId(seed, 'call_', index),
        name: part.name,
        arguments: isEmpty ? '' : part.argumentsText,
      }
  }
}

/** Only an item that the output limit cut off is incomplete, and it is always the last item. */
export function itemStatusOf({ answer }: DemoExchange, index: number): DemoItemStatus {
  const isLast = index === answer.parts.length - 1
  return isLast && answer.finish === 'length' ? 'incomplete' : 'completed'
}

// As in OpenAI's service, the value in the announcement of an item is not the final one.
function encodeEncrypted({ body, seed }: DemoExchange, isEmpty: boolean): JsonObject {
  if (!listOf(body['include']).includes('reasoning.encrypted_content')) return {}
  const whole = seededSignature(seed)
  return { encrypted_content: isEmpty ? whole.slice(0, 16) : whole }
}
