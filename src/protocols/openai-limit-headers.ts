import type { LimitHeaders, RateLevels } from '../core/rate-limit.ts'

/** The headers that clients of chat-completions and responses read. */
export function openaiLimitHeaders({ requests, tokens }: RateLevels): LimitHeaders {
  return {
    'x-ratelimit-limit-requests': requests && String(requests.limit),
    'x-ratelimit-remaining-requests': requests && String(requests.remaining),
    'x-ratelimit-reset-requests': requests && durationText(requests.fullInMs),
    'x-ratelimit-limit-tokens': tokens && String(tokens.limit),
    'x-ratelimit-remaining-tokens': tokens && String(tokens.remaining),
    'x-ratelimit-reset-tokens': tokens && durationText(tokens.fullInMs),
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
