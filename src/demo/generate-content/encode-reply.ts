import type { JsonObject } from '../../wire/json.ts'
import type { DemoExchange } from '../demo-protocol.ts'
import { seededSignature } from '../seed.ts'
import { encodeCallPart, encodeResponse, finishReasonOf } from './encode-response.ts'

export function encodeReply(exchange: DemoExchange): JsonObject {
  const { answer, question, seed } = exchange
  const parts = answer.parts.map((part, index): JsonObject => {
    if (part.kind === 'reasoning') return { text: part.text, thought: true }
    const body = part.kind === 'text' ? { text: part.text } : encodeCallPart(exchange, part, index)
    // The thought signature is on the first part after the thoughts, as in Google's service.
    const isAfterThoughts = question.reasoning && index === 1
    return isAfterThoughts ? { ...body, thoughtSignature: seededSignature(seed) } : body
  })
  return encodeResponse(exchange, {
    parts,
    finishReason: finishReasonOf(exchange),
    usage: answer.usage,
  })
}
