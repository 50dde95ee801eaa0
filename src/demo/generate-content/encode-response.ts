import type { JsonObject } from '../../wire/json.ts'
import type { AnswerUsage, DemoToolCallPart } from '../answer.ts'
import type { DemoExchange } from '../demo-protocol.ts'
import { seededId } from '../seed.ts'

export interface DemoPiece {
  readonly parts: readonly JsonObject[]
  readonly finishReason?: string
  readonly usage: AnswerUsage
}

/** One response: the whole answer, or the latest piece of a streamed one. */
export function encodeResponse({ question, seed }: DemoExchange, piece: DemoPiece): JsonObject {
  const { parts, finishReason, usage } = piece
  const content = parts.length > 0 ? { role: 'model', parts } : { role: 'model' }
  return {
    candidates: [{ content, ...(finishReason === undefined ? {} : { finishReason }), index: 0 }],
    usageMetadata: encodeUsage(usage),
    modelVersion: question.model,
    responseId: seededId(seed, 'demo'),
  }
}

export function encodeCallPart(
  exchange: DemoExchange,
  call: DemoToolCallPart,
  index: number,
): JsonObject {
  const id = seededId(exchange.seed, 'call_', index)
  return { functionCall: { id, name: call.name, args: call.arguments } }
}

export function finishReasonOf({ answer }: DemoExchange): string {
  return answer.finish === 'length' ? 'MAX_TOKENS' : 'STOP'
}

function encodeUsage({ input, output, reasoning }: AnswerUsage): JsonObject {
  return {
    promptTokenCount: input,
    candidatesTokenCount: output,
    ...(reasoning > 0 ? { thoughtsTokenCount: reasoning } : {}),
    totalTokenCount: input + output + reasoning,
    promptTokensDetails: [{ modality: 'TEXT', tokenCount: input }],
  }
}
