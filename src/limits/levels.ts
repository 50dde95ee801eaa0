import type { LimitValues, RateLevel, RateLevels } from '../core/limits/rate-limit.ts'
import { remainderOf, wholeRemainder } from './rate.ts'

/** How long until all of each limit of an owner is available again. */
export interface OwnerState {
  readonly values: LimitValues
  readonly requestsFullInMs: number
  readonly tokensFullInMs: number
}

/**
 * A level that is replaced as long as a tighter one is found: one object for all limits of a request. What remains has
 * a fraction until all limits were compared.
 */
export type FoundLevel = { -readonly [Name in keyof RateLevel]: RateLevel[Name] }

/** The tightest of the limits. */
export function tightestOf(states: readonly OwnerState[]): RateLevels {
  let requests: FoundLevel | undefined
  let tokens: FoundLevel | undefined
  for (const { values, requestsFullInMs, tokensFullInMs } of states) {
    const { requestsPerMinute, tokensPerMinute } = values
    if (requestsPerMinute !== null)
      requests = tighter(requests, requestsPerMinute, requestsFullInMs)
    if (tokensPerMinute !== null) tokens = tighter(tokens, tokensPerMinute, tokensFullInMs)
  }
  return wholeLevels(requests, tokens)
}

export function wholeLevels(
  requests: FoundLevel | undefined,
  tokens: FoundLevel | undefined,
): RateLevels {
  if (requests) requests.remaining = wholeRemainder(requests.remaining)
  if (tokens) tokens.remaining = wholeRemainder(tokens.remaining)
  return { requests, tokens }
}

/** No earlier reset than the moment at which a refused request may be tried again. */
export function notBefore({ requests, tokens }: RateLevels, waitMs: number): RateLevels {
  const later = (level: RateLevel | undefined): RateLevel | undefined =>
    level && { ...level, fullInMs: Math.max(level.fullInMs, waitMs) }
  return { requests: later(requests), tokens: later(tokens) }
}

/** The one with less left. `allotted` is the part of the limit that this process may use. */
export function tighter(
  one: FoundLevel | undefined,
  limit: number,
  fullInMs: number,
  allotted = limit,
): FoundLevel {
  const remaining = remainderOf(allotted, fullInMs)
  if (!one) return { limit, remaining, fullInMs }
  if (remaining < one.remaining) {
    one.limit = limit
    one.remaining = remaining
    one.fullInMs = fullInMs
  }
  return one
}
