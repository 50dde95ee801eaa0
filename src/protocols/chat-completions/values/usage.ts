import type { TokenUsage } from '../../../core/money/usage.ts'
import type { JsonObject } from '../../../wire/json.ts'
import { decodeOpenAiUsage, type UsageNames } from '../../openai/decode-usage.ts'
import { plainUsage, type UsageTraits } from '../../reply-traits.ts'

const names: UsageNames = {
  input: 'prompt_tokens',
  output: 'completion_tokens',
  inputDetails: 'prompt_tokens_details',
  outputDetails: 'completion_tokens_details',
}

export function decodeUsage(
  value: unknown,
  traits: UsageTraits = plainUsage,
): TokenUsage | undefined {
  return decodeOpenAiUsage(value, names, traits)
}

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
