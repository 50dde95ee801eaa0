import type { LimitValues, RateLevel, RateLevels } from '../core/rate-limit.ts'
import { remainingOf } from './rate.ts'

/** How long until all of each limit of an owner is available again. */
export interface OwnerState {
  readonly values: LimitValues
  readonly requestsFullInMs: number
  readonly tokensFullInMs: number
}

/** The tightest of the limits. */
export function tightestOf(states: readonly OwnerState[]): RateLevels {
  let requests: RateLevel | undefined
  let tokens: RateLevel | undefined
  for (const { values, requestsFullInMs, tokensFullInMs } of states) {
    const { requestsPerMinute, tokensPerMinute } = values
    if (requestsPerMinute !== null)
      requests = tighter(requests, requestsPerMinute, requestsFullInMs)
    if (tokensPerMinute !== null) tokens = tighter(tokens, tokensPerMinute, tokensFullInMs)
  }
  return { requests, tokens }
}

/** The one with less left. `allotted` is the part of the limit that this process may use. */
export function tighter(
  one: RateLevel | undefined,
  limit: number,
  fullInMs: number,
  allotted = limit,
): RateLevel {
  const remaining = remainingOf(allotted, fullInMs)
  return one && one.remaining <= remaining ? one : { limit, remaining, fullInMs }
}
