import type { LimitValues, RateLevel, RateLevels } from '../core/rate-limit.ts'
import { levelOf } from './rate.ts'

/** How long until all of each limit of an owner is available again. */
export interface OwnerState {
  readonly values: LimitValues
  readonly requestsFullInMs: number
  readonly tokensFullInMs: number
  /** The parts of the limits that this process may use; absent: all. */
  readonly requestsPart?: number | null
  readonly tokensPart?: number | null
}

/** The tightest of the limits. */
export function tightestOf(states: readonly OwnerState[]): RateLevels {
  let requests: RateLevel | undefined
  let tokens: RateLevel | undefined
  for (const state of states) {
    const { requestsPerMinute, tokensPerMinute } = state.values
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
