import type { TokenUsage } from '../../core/usage.ts'
import type { JsonObject } from '../../wire/json.ts'

/** The totals include their details. */
export function encodeUsage(usage: TokenUsage): JsonObject {
  const written = usage.cacheWrite5m + usage.cacheWrite1h
  const prompt = usage.input + usage.cacheRead + written
  return {
    prompt_tokens: prompt,
    completion_tokens: usage.output,
    total_tokens: prompt + usage.output,
    prompt_tokens_details: { cached_tokens: usage.cacheRead, cache_write_tokens: written },
    completion_tokens_details: { reasoning_tokens: usage.reasoning },
  }
}
