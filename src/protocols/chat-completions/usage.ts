import type { TokenUsage } from '../../core/usage.ts'
import { countAt, isObject, type JsonObject, objectAt } from '../../wire/json.ts'

/**
 * A usage object in disjoint buckets. `prompt_tokens` includes what was read from and written to the cache,
 * `completion_tokens` includes reasoning. An object without both totals is no report.
 */
export function decodeUsage(value: unknown): TokenUsage | undefined {
  if (!isObject(value)) return undefined
  const prompt = countAt(value, 'prompt_tokens')
  const completion = countAt(value, 'completion_tokens')
  if (prompt === undefined || completion === undefined) return undefined
  const promptDetails = objectAt(value, 'prompt_tokens_details') ?? {}
  const cacheRead = Math.min(readCached(value, promptDetails), prompt)
  const cacheWrite = Math.min(countAt(promptDetails, 'cache_write_tokens') ?? 0, prompt - cacheRead)
  const completionDetails = objectAt(value, 'completion_tokens_details') ?? {}
  const reasoning = countAt(completionDetails, 'reasoning_tokens') ?? 0
  const output = completion + reasoningOutside(value, prompt, completion, reasoning)
  return {
    input: prompt - cacheRead - cacheWrite,
    cacheRead,
    cacheWrite5m: cacheWrite,
    cacheWrite1h: 0,
    output,
    reasoning: Math.min(reasoning, output),
  }
}

/** The usage in a chunk or a whole reply. Groq reports it in its own corner of the last chunk. */
export function usageIn(reply: JsonObject): TokenUsage | undefined {
  const groq = reply['x_groq']
  return decodeUsage(reply['usage']) ?? (isObject(groq) ? decodeUsage(groq['usage']) : undefined)
}

/** DeepSeek names its cache hits differently, Moonshot puts them beside the totals. */
function readCached(value: JsonObject, details: JsonObject): number {
  return (
    countAt(details, 'cached_tokens') ??
    countAt(value, 'prompt_cache_hit_tokens') ??
    countAt(value, 'cached_tokens') ??
    0
  )
}

/**
 * Some vendors count reasoning outside `completion_tokens`: the total says so, or there is more of it than could be
 * inside (Vercel's gateway, whose total leaves it out and whose price does not).
 */
function reasoningOutside(
  value: JsonObject,
  prompt: number,
  completion: number,
  reasoning: number,
): number {
  const total = countAt(value, 'total_tokens')
  const isOutside = reasoning > completion || total === prompt + completion + reasoning
  return isOutside && Number.isSafeInteger(completion + reasoning) ? reasoning : 0
}
