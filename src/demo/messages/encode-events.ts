import type { JsonObject } from '../../wire/json.ts'
import type { AnswerPart } from '../answer.ts'
import type { DemoExchange, StreamStep } from '../demo-protocol.ts'
import { type Seed, seededId, seededSignature } from '../seed.ts'
import { splitTokens } from '../tokens.ts'
import { encodeReply } from './encode-reply.ts'
import { encodeUsage } from './encode-usage.ts'
import { stopReasonOf } from './stop-reason.ts'

export function* encodeEvents(exchange: DemoExchange): Iterable<StreamStep> {
  const { answer, seed } = exchange
  const usageAtStart = encodeUsage({ ...answer.usage, output: 0, reasoning: 0 })
  const message = {
    ...encodeReply(exchange),
    content: [],
    stop_reason: null,
    usage: { ...usageAtStart, service_tier: 'standard' },
  }
  yield step('message_start', { message })
  for (const [index, part] of answer.parts.entries()) {
    yield step('content_block_start', { index, content_block: encodeEmptyBlock(part, index, seed) })
    if (index === 0) yield step('ping', {})
    for (const delta of encodeDeltas(part, seed)) {
      yield {
        ...step('content_block_delta', { index, delta }),
        isWord: delta['type'] !== 'signature_delta',
      }
    }
    yield step('content_block_stop', { index })
  }
  const delta = { stop_reason: stopReasonOf(answer), stop_sequence: null }
  yield step('message_delta', { delta, usage: encodeUsage(answer.usage) })
  yield step('message_stop', {})
}

function step(type: string, fields: JsonObject): StreamStep {
  return { event: type, data: { type, ...fields } }
}

function encodeEmptyBlock(part: AnswerPart, index: number, seed: Seed): JsonObject {
  switch (part.kind) {
    case 'reasoning':
      return { type: 'thinking', thinking: '', signature: '' }
    case 'text':
      return { type: 'text', text: '' }
    case 'tool-call':
      return { type: 'tool_use', id: seededId(seed, 'toolu_', index), name: part.name, input: {} }
  }
}

function encodeDeltas(part: AnswerPart, seed: Seed): readonly JsonObject[] {
  switch (part.kind) {
    case 'reasoning': {
      const words = splitTokens(part.text).map((thinking) => ({ type: 'thinking_delta', thinking }))
      return [...words, { type: 'signature_delta', signature: seededSignature(seed) }]
    }
    case 'text':
      return splitTokens(part.text).map((text) => ({ type: 'text_delta', text }))
    case 'tool-call':
      return ['', ...splitTokens(part.argumentsText)].map((fragment) => ({
        type: 'input_json_delta',
        partial_json: fragment,
      }))
  }
}
