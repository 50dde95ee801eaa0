import type { Clock } from '../../core/clock.ts'
import type { RateLevels } from '../../core/rate-limit.ts'

/** Adds the headers that clients of this protocol read. A limit of tokens includes input and output. */
export function addLimitHeaders(
  headers: Record<string, string>,
  { requests, tokens }: RateLevels,
  clock: Pick<Clock, 'nowMs'>,
): void {
  const nowMs = clock.nowMs()
  const resetText = (fullInMs: number): string => new Date(nowMs + fullInMs).toISOString()
  if (requests) {
    headers['anthropic-ratelimit-requests-limit'] = String(requests.limit)
    headers['anthropic-ratelimit-requests-remaining'] = String(requests.remaining)
    headers['anthropic-ratelimit-requests-reset'] = resetText(requests.fullInMs)
  }
  if (tokens) {
    headers['anthropic-ratelimit-tokens-limit'] = String(tokens.limit)
    headers['anthropic-ratelimit-tokens-remaining'] = String(tokens.remaining)
    headers['anthropic-ratelimit-tokens-reset'] = resetText(tokens.fullInMs)
  }
}
