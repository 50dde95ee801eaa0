import type { JsonObject } from '../../wire/json.ts'
import type { AnswerPart } from '../answer.ts'
import type { DemoExchange } from '../demo-protocol.ts'
import { type Seed, seededId, seededSignature } from '../seed.ts'
import { encodeUsage } from './encode-usage.ts'
import { stopReasonOf } from './stop-reason.ts'

export function encodeReply({ question, answer, seed }: DemoExchange): JsonObject {
  return {
    id: seededId(seed, 'msg_'),
    type: 'message',
    role: 'assistant',
    model: question.model,
    content: answer.parts.map((part, index) => encodeBlock(part, index, seed)),
    stop_reason: stopReasonOf(answer),
    stop_sequence: null,
    usage: { ...encodeUsage(answer.usage), service_tier: 'standard' },
  }
}

function encodeBlock(part: AnswerPart, index: number, seed: Seed): JsonObject {
  switch (part.kind) {
    case 'reasoning':
      return { type: 'thinking', thinking: part.text, signature: seededSignature(seed) }
    case 'text':
      return { type: 'text', text: part.text }
    case 'tool-call': {
      const id = seededId(seed, 'toolu_', index)
      return { type: 'tool_use', id, name: part.name, input: part.arguments }
    }
  }
}
