import type { JsonObject } from '../../wire/json.ts'
import type { AnswerUsage } from '../answer.ts'

export function encodeUsage({ input, output, reasoning }: AnswerUsage): JsonObject {
  return {
    input_tokens: input,
    cache_creation_input_tokens: 0,
    cache_read_input_tokens: 0,
    output_tokens: output + reasoning,
    output_tokens_details: { thinking_tokens: reasoning },
  }
}
