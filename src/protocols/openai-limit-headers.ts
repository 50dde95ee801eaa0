import type { RateLevels } from '../core/rate-limit.ts'

/** Adds the headers that clients of chat-completions and responses read. */
export function addOpenaiLimitHeaders(
  headers: Record<string, string>,
  { requests, tokens }: RateLevels,
): void {
  if (requests) {
    headers['x-ratelimit-limit-requests'] = String(requests.limit)
    headers['x-ratelimit-remaining-requests'] = String(requests.remaining)
    headers['x-ratelimit-reset-requests'] = durationText(requests.fullInMs)
  }
  if (tokens) {
    headers['x-ratelimit-limit-tokens'] = String(tokens.limit)
    headers['x-ratelimit-remaining-tokens'] = String(tokens.remaining)
    headers['x-ratelimit-reset-tokens'] = durationText(tokens.fullInMs)
  }
}

/** As the service writes durations: `120ms`, `6s`, `1m6s`. */
function durationText(ms: number): string {
  if (ms < 1_000) return `${Math.ceil(ms)}ms`
  const seconds = Math.ceil(ms / 1_000)
  return seconds < 60 ? `${seconds}s` : `${Math.floor(seconds / 60)}m${seconds % 60}s`
}
