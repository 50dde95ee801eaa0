import type { RateLevels } from '../core/rate-limit.ts'

/** The headers that clients of chat-completions and responses read. */
export function openaiLimitHeaders(levels: RateLevels): Record<string, string> {
  const headers: Record<string, string> = {}
  for (const kind of ['requests', 'tokens'] as const) {
    const level = levels[kind]
    if (!level) continue
    headers[`x-ratelimit-limit-${kind}`] = String(level.limit)
    headers[`x-ratelimit-remaining-${kind}`] = String(level.remaining)
    headers[`x-ratelimit-reset-${kind}`] = durationText(level.fullInMs)
  }
  return headers
}

/** As the service writes durations: `120ms`, `6s`, `1m6s`. */
function durationText(ms: number): string {
  if (ms < 1_000) return `${Math.ceil(ms)}ms`
  const seconds = Math.ceil(ms / 1_000)
  return seconds < 60 ? `${seconds}s` : `${Math.floor(seconds / 60)}m${seconds % 60}s`
}
