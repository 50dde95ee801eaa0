import type { OwnedLimits } from '../core/limits/rate-limit.ts'
import { refusalOf } from './ask-server.ts'
import type { CountState } from './count-state.ts'
import type { LimitRefusal } from './limiter.ts'

/** What the next transaction counts. */
export interface WaitingCount {
  /** The limits to take from; of other entries, the limits that change. */
  readonly owners: readonly OwnedLimits[]
  readonly tokens: number
  /** Undefined: a request to admit. */
  readonly change?: (state: CountState, owned: OwnedLimits) => void
  /** The request was admitted before. */
  readonly isAdmitted?: true
  /** Whether a request waits for the transaction. */
  readonly isAwaited: boolean
  done(refusal: LimitRefusal | undefined): void
  failed(error: unknown): void
}

/** Counts it, unless it is a request that a limit refuses. */
export function decide(
  { owners, tokens, change, isAdmitted }: WaitingCount,
  states: ReadonlyMap<string, CountState>,
): LimitRefusal | undefined {
  const found = owners.flatMap((owned) => {
    const state = states.get(owned.name)
    return state ? { owned, state } : []
  })
  if (change) {
    for (const { owned, state } of found) change(state, owned)
    return undefined
  }
  if (isAdmitted || found.every(({ owned, state }) => state.hasRoom(owned, tokens))) {
    for (const { owned, state } of found) state.take(owned, tokens)
    return undefined
  }
  return refusalOf(
    found.map(({ owned, state }) => state.ownerState(owned)),
    tokens,
  )
}
