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

/** A lease that is fetched in advance covers at least this many holds. */
const stockForLater = 8n

/**
 * Money of the pool can be recalled while the missing part is on its way; then `bring` tries again for the larger
 * amount.
 */
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
  /** The amount of one of the holds that the lease is for. */
  readonly ofNano: Nano
  readonly isForLater?: boolean
}

/** Obtains leases from the database for pools. */
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
   * Fetches the part of an amount that the pool lacks; false when the database does not grant it. `take` tells whether
   * the pool has enough, and may hold the money. `take` runs in the moment of arrival, so that no recall can take the
   * money first.
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

  /** Fetches a lease in advance; false when too little money is left for one. */
  bringForLater(pool: LeasePool, amountNano: Nano): Promise<boolean> {
    const leastNano = amountNano * stockForLater
    return this.#lease(pool, { leastNano, ofNano: amountNano, isForLater: true })
  }

  /** Includes the amount that requests have cost beyond their holds. */
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
    const request = { leaseId, keyId, accountId, leastNano, wantedNano, reclaimInMs, isForLater }
    let grantedNano: Nano | undefined
    try {
      grantedNano = grantedBy(await commits.run(grantUnit(request, owner, engine.clockSql)))
    } catch (error) {
      // The database may have granted the lease although the answer was lost.
      this.#returns.owe(closeUnit(request))
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
