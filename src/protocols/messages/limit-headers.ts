import type { LimitHeaders, RateLevels } from '../../core/limits/rate-limit.ts'
import type { Clock } from '../../core/time/clock.ts'

const names = [
  'anthropic-ratelimit-requests-limit',
  'anthropic-ratelimit-requests-remaining',
  'anthropic-ratelimit-requests-reset',
  'anthropic-ratelimit-tokens-limit',
  'anthropic-ratelimit-tokens-remaining',
  'anthropic-ratelimit-tokens-reset',
]

/** The headers that clients of this protocol read. A limit of tokens includes input and output. */
export function limitHeaders(
  { requests, tokens }: RateLevels,
  clock: Pick<Clock, 'nowMs'>,
): LimitHeaders {
  const nowMs = clock.nowMs()
  const resetText = (fullInMs: number): string => new Date(nowMs + fullInMs).toISOString()
  const values = [
    requests && String(requests.limit),
    requests && String(requests.remaining),
    requests && resetText(requests.fullInMs),
    tokens && String(tokens.limit),
    tokens && String(tokens.remaining),
    tokens && resetText(tokens.fullInMs),
  ]
  return { names, values }
}
