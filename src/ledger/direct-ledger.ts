import type { Clock } from '../core/clock.ts'
import type { Engine } from '../store/engine.ts'
import type { GroupCommit } from '../store/group-commit.ts'
import { explainShortage } from './explain-shortage.ts'
import { holdUnit, isHeld, type LeaseOwner } from './hold-unit.ts'
import type { Hold, HoldWish, Ledger } from './ledger.ts'
import { settleUnit } from './settle-unit.ts'

/** The longest a request may run, and a while more: after that a lease belongs to a process that is gone. */
export const reclaimAfterMs = 45 * 60 * 1_000

/**
 * The ledger with one lease per request: each hold and each settlement is a conditional movement in the
 * database, many of them in one commit.
 */
export function createDirectLedger(parts: {
  engine: Engine
  commits: GroupCommit
  owner: LeaseOwner
  clock: Clock
}): Ledger {
  const { engine, commits, owner, clock } = parts
  let openHolds = 0

  const openHold = (wish: HoldWish): Hold => {
    let isSettled = false
    openHolds += 1
    return {
      grantedNano: wish.amountNano,
      settle: async (settlement, alongside) => {
        if (isSettled) throw new Error(`request ${wish.requestId} is settled already`)
        isSettled = true
        try {
          await commits.run(
            settleUnit({ ...wish, grantedNano: wish.amountNano }, settlement, alongside),
          )
        } finally {
          openHolds -= 1
        }
      },
    }
  }

  return {
    reserve: async (wish) => {
      const unit = holdUnit(wish, owner, clock.nowMs() + reclaimAfterMs)
      if (isHeld(await commits.run(unit))) return { ok: true, hold: openHold(wish) }
      return { ok: false, reason: await explainShortage(engine, wish) }
    },
    get openHolds() {
      return openHolds
    },
    settled: () => commits.settled(),
  }
}
