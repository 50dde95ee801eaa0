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

/** The number of cached texts. Limits reset within minutes, so all of their texts fit. */
const textsMax = 2_000
const texts = new Map<number, string>()

/** As the service writes durations: `120ms`, `6s`, `1m6s`. */
function durationText(ms: number): string {
  const whole = ms < 1_000 ? Math.ceil(ms) : Math.ceil(ms / 1_000) * 1_000
  const known = texts.get(whole)
  if (known !== undefined) return known
  const text = wholeText(whole)
  if (texts.size < textsMax) texts.set(whole, text)
  return text
}

function wholeText(ms: number): string {
  if (ms < 1_000) return `${ms}ms`
  const seconds = ms / 1_000
  return seconds < 60 ? `${seconds}s` : `${Math.floor(seconds / 60)}m${seconds % 60}s`
}
