import { noUsage, type TokenUsage } from '../../core/usage.ts'
import { countAt, isObject, objectAt } from '../../wire/json.ts'

/**
 * A usage object in disjoint buckets: `input_tokens` includes what was read from and written to the cache,
 * `output_tokens` includes reasoning. An object without both totals is no report.
 */
export function decodeUsage(value: unknown): TokenUsage | undefined {
  if (!isObject(value)) return undefined
  const input = countAt(value, 'input_tokens')
  const output = countAt(value, 'output_tokens')
  if (input === undefined || output === undefined) return undefined
  const inputDetails = objectAt(value, 'input_tokens_details') ?? {}
  const outputDetails = objectAt(value, 'output_tokens_details') ?? {}
  const cacheRead = Math.min(countAt(inputDetails, 'cached_tokens') ?? 0, input)
  const cacheWrite = Math.min(countAt(inputDetails, 'cache_write_tokens') ?? 0, input - cacheRead)
  return {
    ...noUsage,
    input: input - cacheRead - cacheWrite,
    cacheRead,
    cacheWrite5m: cacheWrite,
    output,
    reasoning: Math.min(countAt(outputDetails, 'reasoning_tokens') ?? 0, output),
  }
}

/** Clients read the details without looking whether they are there, so they always are. */
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
