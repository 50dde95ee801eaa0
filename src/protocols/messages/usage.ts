import type { TokenUsage } from '../../core/usage.ts'
import { countAt, isObject, type JsonObject, objectAt } from '../../wire/json.ts'

/**
 * Gathers the usage of one message. Each report is a snapshot of the whole message, and a field of a later one
 * replaces that field of an earlier one: nothing is ever added up.
 */
export class UsageReports {
  #merged: Record<string, unknown> | undefined

  /** The usage after this report; undefined for what is no report. */
  add(report: unknown): TokenUsage | undefined {
    if (!isObject(report)) return undefined
    const merged = this.#merged ?? {}
    for (const name in report) {
      const field = report[name]
      if (field !== null && field !== undefined) merged[name] = field
    }
    this.#merged = merged
    return decodeUsage(merged)
  }
}

/**
 * `input_tokens` excludes what was read from and written to the cache. The end of a stream tells the sum of
 * cache writes without its split by lifetime; then the split of the beginning holds as far as it goes.
 */
export function decodeUsage(value: unknown): TokenUsage | undefined {
  if (!isObject(value)) return undefined
  const input = countAt(value, 'input_tokens')
  const output = countAt(value, 'output_tokens')
  if (input === undefined || output === undefined) return undefined
  const split = objectAt(value, 'cache_creation') ?? {}
  const oneHour = countAt(split, 'ephemeral_1h_input_tokens') ?? 0
  const fiveMinutes = countAt(split, 'ephemeral_5m_input_tokens') ?? 0
  const written = countAt(value, 'cache_creation_input_tokens') ?? oneHour + fiveMinutes
  const cacheWrite1h = Math.min(oneHour, written)
  const details = objectAt(value, 'output_tokens_details') ?? {}
  return {
    input,
    cacheRead: countAt(value, 'cache_read_input_tokens') ?? 0,
    cacheWrite5m: written - cacheWrite1h,
    cacheWrite1h,
    output,
    reasoning: Math.min(countAt(details, 'thinking_tokens') ?? 0, output),
  }
}

export function encodeUsage(usage: TokenUsage): JsonObject {
  const { cacheWrite5m, cacheWrite1h, reasoning } = usage
  return {
    input_tokens: usage.input,
    cache_creation_input_tokens: cacheWrite5m + cacheWrite1h,
    cache_read_input_tokens: usage.cacheRead,
    ...(cacheWrite5m + cacheWrite1h > 0
      ? {
          cache_creation: {
            ephemeral_5m_input_tokens: cacheWrite5m,
            ephemeral_1h_input_tokens: cacheWrite1h,
          },
        }
      : {}),
    output_tokens: usage.output,
    ...(reasoning > 0 ? { output_tokens_details: { thinking_tokens: reasoning } } : {}),
  }
}
