import type { LimitHeader, LimitHeaders, RateLevels } from '../../core/limits/rate-limit.ts'
import { changingText } from '../../core/text/changing-text.ts'
import type { Clock } from '../../core/time/clock.ts'
import { wholeSeconds } from '../../core/time/whole-seconds.ts'

const headers: readonly LimitHeader[] = [
  { name: 'anthropic-ratelimit-requests-limit', textOf: String },
  { name: 'anthropic-ratelimit-requests-remaining', textOf: changingText },
  { name: 'anthropic-ratelimit-requests-reset', textOf: timeText },
  { name: 'anthropic-ratelimit-tokens-limit', textOf: String },
  { name: 'anthropic-ratelimit-tokens-remaining', textOf: changingText },
  { name: 'anthropic-ratelimit-tokens-reset', textOf: timeText },
]

/** The headers that clients of this protocol read. A limit of tokens includes input and output. */
export function limitHeaders(
  { requests, tokens }: RateLevels,
  clock: Pick<Clock, 'nowMs'>,
): LimitHeaders {
  const nowMs = clock.nowMs()
  const values = [
    requests?.limit,
    requests?.remaining,
    requests && wholeSeconds(nowMs + requests.fullInMs),
    tokens?.limit,
    tokens?.remaining,
    tokens && wholeSeconds(nowMs + tokens.fullInMs),
  ]
  return { headers, values }
}

/** As the service writes times: `2026-03-10T23:46:35Z`. */
function timeText(seconds: number): string {
  return `${new Date(seconds * 1_000).toISOString().slice(0, -'.000Z'.length)}Z`
}
