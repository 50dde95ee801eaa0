import type { LimitHeader, LimitHeaders, RateLevels } from '../../core/limits/rate-limit.ts'
import { changingText } from '../../core/text/changing-text.ts'
import { wholeSeconds } from '../../core/time/whole-seconds.ts'

const headers: readonly LimitHeader[] = [
  { name: 'x-ratelimit-limit-requests', textOf: String },
  { name: 'x-ratelimit-remaining-requests', textOf: changingText },
  { name: 'x-ratelimit-reset-requests', textOf: durationText },
  { name: 'x-ratelimit-limit-tokens', textOf: String },
  { name: 'x-ratelimit-remaining-tokens', textOf: changingText },
  { name: 'x-ratelimit-reset-tokens', textOf: durationText },
]

/** The headers that clients of chat-completions and responses read. */
export function openaiLimitHeaders({ requests, tokens }: RateLevels): LimitHeaders {
  const values = [
    requests?.limit,
    requests?.remaining,
    requests && wholeMs(requests.fullInMs),
    tokens?.limit,
    tokens?.remaining,
    tokens && wholeMs(tokens.fullInMs),
  ]
  return { headers, values }
}

/** Whole seconds, or whole milliseconds below one second. */
function wholeMs(ms: number): number {
  return ms < 1_000 ? Math.ceil(ms) : wholeSeconds(ms) * 1_000
}

/** As the service writes durations: `120ms`, `6s`, `1m6s`. */
function durationText(ms: number): string {
  if (ms < 1_000) return `${ms}ms`
  const seconds = ms / 1_000
  return seconds < 60 ? `${seconds}s` : `${Math.floor(seconds / 60)}m${seconds % 60}s`
}
