import type { JsonObject } from '../../wire/json.ts'
import type { AnswerUsage } from '../answer.ts'

export function encodeUsage({ input, output, reasoning }: AnswerUsage): JsonObject {
  return {
    input_tokens: input,
    input_tokens_details: { cached_tokens: 0 },
    output_tokens: output + reasoning,
    output_tokens_details: { reasoning_tokens: reasoning },
    total_tokens: input + output + reasoning,
  }
}
