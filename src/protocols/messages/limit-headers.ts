import type { RateLevels } from '../../core/rate-limit.ts'

/** The headers that clients of this protocol read. A limit of tokens includes input and output. */
export function limitHeaders(levels: RateLevels, nowMs: number): Record<string, string> {
  const headers: Record<string, string> = {}
  for (const kind of ['requests', 'tokens'] as const) {
    const level = levels[kind]
    if (!level) continue
    const name = `anthropic-ratelimit-${kind}`
    headers[`${name}-limit`] = String(level.limit)
    headers[`${name}-remaining`] = String(level.remaining)
    headers[`${name}-reset`] = new Date(nowMs + level.fullInMs).toISOString()
  }
  return headers
}
