import type { TokenUsage } from '../../core/usage.ts'
import { isObject, type JsonObject, objectAt } from '../../wire/json.ts'
import { readInclusive, sumOfKinds, tokensAt, totalAt } from '../inclusive-usage.ts'

/**
 * A usage object in disjoint buckets. `prompt_tokens` includes what was read from and written to the cache,
 * `completion_tokens` includes reasoning. An object without both totals is no report.
 */
export function decodeUsage(value: unknown): TokenUsage | undefined {
  if (!isObject(value)) return undefined
  const prompt = tokensAt(value, 'prompt_tokens')
  const completion = tokensAt(value, 'completion_tokens')
  if (prompt === undefined || completion === undefined) return undefined
  const promptDetails = objectAt(value, 'prompt_tokens_details') ?? {}
  const completionDetails = objectAt(value, 'completion_tokens_details') ?? {}
  const missed = tokensAt(value, 'prompt_cache_miss_tokens')
  const cacheRead = readCached(value, promptDetails)
  return readInclusive({
    prompt,
    completion,
    total: totalAt(value, 'total_tokens'),
    cacheRead,
    cacheWrite: tokensAt(promptDetails, 'cache_write_tokens') ?? 0,
    reasoning:
      tokensAt(completionDetails, 'reasoning_tokens') ?? tokensAt(value, 'reasoning_tokens') ?? 0,
    promptParts: missed === undefined ? sumOfKinds(promptDetails) : cacheRead + missed,
    completionParts: sumOfKinds(completionDetails),
  })
}

/** The usage in a chunk or a whole reply. Groq reports it in its own corner of the last chunk. */
export function usageIn(reply: JsonObject): TokenUsage | undefined {
  const groq = reply['x_groq']
  return decodeUsage(reply['usage']) ?? (isObject(groq) ? decodeUsage(groq['usage']) : undefined)
}

/** DeepSeek names its cache hits differently, Moonshot puts them beside the totals. */
function readCached(value: JsonObject, details: JsonObject): number {
  return (
    tokensAt(details, 'cached_tokens') ??
    tokensAt(value, 'prompt_cache_hit_tokens') ??
    tokensAt(value, 'cached_tokens') ??
    0
  )
}
