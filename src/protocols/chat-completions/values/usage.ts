import type { TokenUsage } from '../../../core/money/usage.ts'
import { isObject, type JsonObject, objectAt } from '../../../wire/json.ts'
import { readInclusive, sumOfKinds, tokensAt, totalAt } from '../../measure/inclusive-usage.ts'
import {
  addExtra,
  firstCount,
  plainUsage,
  totalWithout,
  type UsageTraits,
} from '../../reply-traits.ts'

/**
 * A usage object in disjoint buckets. `prompt_tokens` includes cache reads and writes, `completion_tokens` includes
 * reasoning. An object without both totals is not a report. The vendor's traits name any other fields.
 */
export function decodeUsage(
  value: unknown,
  traits: UsageTraits = plainUsage,
): TokenUsage | undefined {
  if (!isObject(value)) return undefined
  const prompt = tokensAt(value, traits.input ?? 'prompt_tokens')
  const completion = tokensAt(value, traits.output ?? 'completion_tokens')
  if (prompt === undefined || completion === undefined) return undefined
  const promptDetails = objectAt(value, 'prompt_tokens_details') ?? {}
  const completionDetails = objectAt(value, 'completion_tokens_details') ?? {}
  const { cacheMiss, extra } = traits
  const missed = cacheMiss === undefined ? undefined : tokensAt(value, cacheMiss)
  const cacheRead =
    tokensAt(promptDetails, 'cached_tokens') ?? firstCount(value, traits.cacheRead) ?? 0
  const usage = readInclusive({
    prompt,
    completion,
    total: totalWithout(totalAt(value, 'total_tokens'), prompt + completion, value, extra),
    cacheRead,
    cacheWrite: tokensAt(promptDetails, 'cache_write_tokens') ?? 0,
    reasoning:
      tokensAt(completionDetails, 'reasoning_tokens') ?? firstCount(value, traits.reasoning) ?? 0,
    form: traits,
    promptParts: missed === undefined ? sumOfKinds(promptDetails) : cacheRead + missed,
    completionParts: sumOfKinds(completionDetails),
  })
  return addExtra(usage, value, extra)
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
