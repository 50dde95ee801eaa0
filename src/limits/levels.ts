import type { OwnedLimits, RateLevel, RateLevels } from '../core/rate-limit.ts'
import { levelOf } from './rate.ts'

/** How long until all of each limit of an owner is available again, and the part of it that this process may use. */
export interface OwnerState {
  readonly requestsFullInMs: number
  readonly tokensFullInMs: number
  readonly requestsPart?: number | null
  readonly tokensPart?: number | null
}

/** The tightest of the limits. */
export function tightestOf(
  applied: readonly OwnedLimits[],
  stateAt: (index: number) => OwnerState,
): RateLevels {
  let requests: RateLevel | undefined
  let tokens: RateLevel | undefined
  for (const [index, { values }] of applied.entries()) {
    const { requestsPerMinute, tokensPerMinute } = values
    const state = stateAt(index)
    if (requestsPerMinute !== null) {
      const part = state.requestsPart ?? requestsPerMinute
      requests = tighter(requests, levelOf(requestsPerMinute, state.requestsFullInMs, part))
    }
    if (tokensPerMinute !== null) {
      const part = state.tokensPart ?? tokensPerMinute
      tokens = tighter(tokens, levelOf(tokensPerMinute, state.tokensFullInMs, part))
    }
  }
  return { requests, tokens }
}

function tighter(one: RateLevel | undefined, other: RateLevel): RateLevel {
  return one === undefined || other.remaining < one.remaining ? other : one
}
