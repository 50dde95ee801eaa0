import type { Clock } from '../../core/clock.ts'
import { newId, type RandomBytes } from '../../core/id.ts'
import type { Nano } from '../../core/money.ts'
import type { Engine } from '../../store/engine.ts'
import type { GroupCommit } from '../../store/group-commit.ts'
import type { SleepAwareClock } from '../sleep-aware-clock.ts'
import type { LeasePool } from './lease-pool.ts'
import type { LeaseReturns } from './lease-returns.ts'
import { leaseTimes } from './lease-times.ts'
import { closeUnit, grantedBy, grantUnit, type LeaseOwner } from './lease-units.ts'

const reclaimInMs = leaseTimes.admitMs + leaseTimes.reclaimAfterMs

/** Of how many holds at least a lease is that is not needed yet. */
const stockForLater = 8n

/** What a pool had when it was asked may be called back before the rest is here: then that is asked for too. */
const triesMax = 5

export interface GrantDeps {
  readonly engine: Engine
  readonly commits: GroupCommit
  readonly owner: LeaseOwner
  readonly clock: Clock
  readonly random?: RandomBytes
}

interface LeaseSize {
  readonly leastNano: Nano
  /** What one of the holds needs for which the lease is. */
  readonly ofNano: Nano
  readonly isForLater?: boolean
}

/** Brings leases from the database to pools. */
export class LeaseGrants {
  readonly #deps: GrantDeps
  readonly #time: SleepAwareClock
  readonly #returns: LeaseReturns

  constructor(deps: GrantDeps, time: SleepAwareClock, returns: LeaseReturns) {
    this.#deps = deps
    this.#time = time
    this.#returns = returns
  }

  /**
   * Brings what the pool lacks of an amount; false when it is not to be had. `take` says whether the pool has enough,
   * and may set it aside: that is asked in the moment of the arrival, so that nobody can call the money back before.
   */
  async bring(pool: LeasePool, amountNano: Nano, take: () => boolean): Promise<boolean> {
    for (let tries = 0; tries < triesMax; tries += 1) {
      let isTaken = false
      const missingNano = this.#missingNano(pool, amountNano)
      const isAdded = await this.#lease(
        pool,
        { leastNano: missingNano, ofNano: missingNano },
        () => {
          isTaken = take()
        },
      )
      if (isTaken || !isAdded) return isTaken
    }
    return false
  }

  /** A lease that is not needed yet; false when there is too little left for one. */
  bringForLater(pool: LeasePool, amountNano: Nano): Promise<boolean> {
    const leastNano = amountNano * stockForLater
    return this.#lease(pool, { leastNano, ofNano: amountNano, isForLater: true })
  }

  /** What requests have cost beyond their holds is missing, and must be brought as well. */
  #missingNano(pool: LeasePool, amountNano: Nano): Nano {
    const freeNano = pool.freeNano(this.#time.nowMs() - leaseTimes.admitMs)
    return freeNano < amountNano ? amountNano - freeNano : amountNano
  }

  async #lease(pool: LeasePool, size: LeaseSize, onAdded?: () => void): Promise<boolean> {
    const { clock, commits, owner, engine } = this.#deps
    const { leastNano, ofNano, isForLater = false } = size
    const renewedMs = this.#time.nowMs()
    const leaseId = newId('lease', this.#deps.random)
    const wantedNano = pool.nextWish(ofNano, clock.monotonicMs())
    const { keyId, accountId } = pool
    const wish = { leaseId, keyId, accountId, leastNano, wantedNano, reclaimInMs, isForLater }
    let grantedNano: Nano | undefined
    try {
      grantedNano = grantedBy(await commits.run(grantUnit(wish, owner, engine.clockSql)))
    } catch (error) {
      // It may have been granted all the same, and only the answer was lost.
      this.#returns.owe(closeUnit(wish))
      throw error
    }
    if (grantedNano === undefined) return false
    pool.add({
      id: leaseId,
      grantedNano,
      usedNano: 0n,
      version: 1,
      heldNano: 0n,
      holds: 0,
      unshipped: 0,
      renewedMs,
      isGone: false,
    })
    onAdded?.()
    return true
  }
}
