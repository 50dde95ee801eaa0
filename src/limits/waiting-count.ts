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

type States = ReadonlyMap<string, CountState>

/** Counts it, unless it is a request that a limit refuses. */
export function decide(waiting: WaitingCount, states: States): LimitRefusal | undefined {
  const { change, isAdmitted, tokens } = waiting
  const found = foundOf(waiting, states)
  const isOpen = change === undefined && isAdmitted === undefined
  if (isOpen && !found.every(({ owned, state }) => state.hasRoom(owned, tokens)))
    return refusalOf(
      found.map(({ owned, state }) => state.ownerState(owned)),
      tokens,
    )
  count(waiting, states)
  return undefined
}

/** Counts it without a check. */
export function count(waiting: WaitingCount, states: States): void {
  const { change, tokens } = waiting
  for (const { owned, state } of foundOf(waiting, states)) {
    if (change) change(state, owned)
    else state.take(owned, tokens)
  }
}

function foundOf({ owners }: WaitingCount, states: States) {
  return owners.flatMap((owned) => {
    const state = states.get(owned.name)
    return state ? [{ owned, state }] : []
  })
}
