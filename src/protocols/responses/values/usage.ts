import type { TokenUsage } from '../../../core/money/usage.ts'
import { decodeOpenAiUsage, type UsageNames } from '../../openai/decode-usage.ts'
import { plainUsage, type UsageTraits } from '../../reply-traits.ts'

const names: UsageNames = {
  input: 'input_tokens',
  output: 'output_tokens',
  inputDetails: 'input_tokens_details',
  outputDetails: 'output_tokens_details',
}

export function decodeUsage(
  value: unknown,
  traits: UsageTraits = plainUsage,
): TokenUsage | undefined {
  return decodeOpenAiUsage(value, names, traits)
}

/** Clients read the details without checking for them, so the details are always present. */
export function encodeUsage(usage: TokenUsage): string {
  const cacheWrite = usage.cacheWrite5m + usage.cacheWrite1h
  const input = usage.input + usage.cacheRead + cacheWrite
  return JSON.stringify({
    input_tokens: input,
    input_tokens_details: { cached_tokens: usage.cacheRead, cache_write_tokens: cacheWrite },
    output_tokens: usage.output,
    output_tokens_details: { reasoning_tokens: usage.reasoning },
    total_tokens: input + usage.output,
  })
}
