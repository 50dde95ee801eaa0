import type { LimitHeaders, RateLevels } from '../../core/limits/rate-limit.ts'

const names = [
  'x-ratelimit-limit-requests',
  'x-ratelimit-remaining-requests',
  'x-ratelimit-reset-requests',
  'x-ratelimit-limit-tokens',
  'x-ratelimit-remaining-tokens',
  'x-ratelimit-reset-tokens',
]

/** The headers that clients of chat-completions and responses read. */
export function openaiLimitHeaders({ requests, tokens }: RateLevels): LimitHeaders {
  const values = [
    requests && String(requests.limit),
    requests && String(requests.remaining),
    requests && durationText(requests.fullInMs),
    tokens && String(tokens.limit),
    tokens && String(tokens.remaining),
    tokens && durationText(tokens.fullInMs),
  ]
  return { names, values }
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
