import type { TokenUsage } from '../../core/usage.ts'
import { countAt, isObject, type JsonObject } from '../../wire/json.ts'

/**
 * `usageMetadata` in disjoint buckets. The prompt includes what was read from the cache, the candidates exclude
 * thoughts, and what the vendor's own tools put into the prompt is counted beside it. An absent count is zero,
 * but an object without any count (Vertex sends one with every chunk) is no report.
 */
export function decodeUsage(value: unknown): TokenUsage | undefined {
  if (!isObject(value)) return undefined
  const prompt = countAt(value, 'promptTokenCount')
  const candidates = countAt(value, 'candidatesTokenCount')
  if (prompt === undefined && candidates === undefined) return undefined
  const cacheRead = Math.min(countAt(value, 'cachedContentTokenCount') ?? 0, prompt ?? 0)
  const reasoning = countAt(value, 'thoughtsTokenCount') ?? 0
  return {
    input: (prompt ?? 0) - cacheRead + (countAt(value, 'toolUsePromptTokenCount') ?? 0),
    cacheRead,
    cacheWrite5m: 0,
    cacheWrite1h: 0,
    output: (candidates ?? 0) + reasoning,
    reasoning,
  }
}

export function encodeUsage(usage: TokenUsage): JsonObject {
  const { cacheRead, reasoning, output } = usage
  const prompt = usage.input + cacheRead + usage.cacheWrite5m + usage.cacheWrite1h
  return {
    promptTokenCount: prompt,
    ...(cacheRead > 0 ? { cachedContentTokenCount: cacheRead } : {}),
    candidatesTokenCount: output - reasoning,
    ...(reasoning > 0 ? { thoughtsTokenCount: reasoning } : {}),
    totalTokenCount: prompt + output,
  }
}
