import type { Clock } from '../../core/clock.ts'
import type { LimitHeaders, RateLevels } from '../../core/rate-limit.ts'

/** The headers that clients of this protocol read. A limit of tokens includes input and output. */
export function limitHeaders(
  { requests, tokens }: RateLevels,
  clock: Pick<Clock, 'nowMs'>,
): LimitHeaders {
  const nowMs = clock.nowMs()
  const resetText = (fullInMs: number): string => new Date(nowMs + fullInMs).toISOString()
  return {
    'anthropic-ratelimit-requests-limit': requests && String(requests.limit),
    'anthropic-ratelimit-requests-remaining': requests && String(requests.remaining),
    'anthropic-ratelimit-requests-reset': requests && resetText(requests.fullInMs),
    'anthropic-ratelimit-tokens-limit': tokens && String(tokens.limit),
    'anthropic-ratelimit-tokens-remaining': tokens && String(tokens.remaining),
    'anthropic-ratelimit-tokens-reset': tokens && resetText(tokens.fullInMs),
  }
}
