import type { JsonObject } from '../../wire/json.ts'
import type { AnswerUsage } from '../answer.ts'

export function encodeUsage({ input, output, reasoning }: AnswerUsage): JsonObject {
  return {
    prompt_tokens: input,
    completion_tokens: output + reasoning,
    total_tokens: input + output + reasoning,
    prompt_tokens_details: { cached_tokens: 0, audio_tokens: 0 },
    completion_tokens_details: { reasoning_tokens: reasoning, audio_tokens: 0 },
  }
}
