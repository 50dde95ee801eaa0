import { newId, type RandomBytes } from '../../core/id.ts'
import type { Nano } from '../../core/money/money.ts'
import type { Clock } from '../../core/time/clock.ts'
import type { Engine } from '../../store/engine.ts'
import type { GroupCommit } from '../../store/units/group-commit.ts'
import { type BudgetRules, type BudgetTerms, isSameVersion } from '../budgets/budget-terms.ts'
import { readRules } from '../budgets/read-rules.ts'
import { BudgetZoneUnknown, OwnerLeft } from '../ledger.ts'
import type { SleepAwareClock } from '../sleep-aware-clock.ts'
import type { LeasePool, PooledLease } from './lease-pool.ts'
import type { LeaseReturns } from './lease-returns.ts'
import { leaseTimes } from './lease-times.ts'
import {
  closeUnit,
  type GrantAnswer,
  grantUnit,
  type LeaseOwner,
  readGrant,
} from './lease-units.ts'

const reclaimInMs = leaseTimes.admitMs + leaseTimes.reclaimAfterMs

/** A lease that is fetched in advance covers at least this many holds. */
const stockForLater = 8n

/**
 * Money of the pool can be recalled while the missing part is on its way; then `fetch` tries again for the larger
 * amount.
 */
const triesMax = 5

/** How often new limits, or a new period, may replace the terms of one grant before it fails. */
const termsMax = 8

/** Keys whose limits are remembered after their pools are gone. */
const rememberedMax = 10_000

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
  /** The terms of a request in flight, which may be former terms. Absent for a new request. */
  readonly terms?: BudgetTerms | undefined
}

/** Obtains leases from the database for pools. */
export class LeaseGrants {
  readonly #deps: GrantDeps
  readonly #time: SleepAwareClock
  readonly #returns: LeaseReturns
  readonly #remembered = new Map<string, BudgetRules>()
  /** The clock of the database minus the clock of the leases, as last measured; never too small. */
  #aheadMs: number | undefined

  constructor(deps: GrantDeps, time: SleepAwareClock, returns: LeaseReturns) {
    this.#deps = deps
    this.#time = time
    this.#returns = returns
  }

  /** The time of the database. */
  databaseMs(): number {
    return this.#aheadMs === undefined
      ? this.#deps.clock.nowMs()
      : this.#time.nowMs() + this.#aheadMs
  }

  /** Reads the limits of a key; true when they have changed. */
  async refreshRules(pool: LeasePool): Promise<boolean> {
    const rules = await readRules(this.#deps.engine, pool)
    if (isSameVersion(rules.versions, pool.rules.versions)) return false
    pool.takeRules(rules, this.databaseMs())
    if (this.#remembered.size >= rememberedMax) this.#remembered.clear()
    this.#remembered.set(nameOf(pool), rules)
    return true
  }

  /** A new pool starts with the limits that its key had before. The next grant tells whether they are still valid. */
  recallRules(pool: LeasePool): void {
    const rules = this.#remembered.get(nameOf(pool))
    if (rules) pool.takeRules(rules, this.databaseMs())
  }

  /**
   * Fetches the part of an amount that the pool lacks; false when the database does not grant it. `take` tells whether
   * the pool has enough, and may hold the money. `take` runs in the moment of arrival, so that no recall can take the
   * money first. `terms` are those of the request if it is in flight.
   */
  async fetch(
    pool: LeasePool,
    amountNano: Nano,
    take: () => boolean,
    terms?: BudgetTerms,
  ): Promise<boolean> {
    for (let tries = 0; tries < triesMax; tries += 1) {
      let isTaken = false
      const missingNano = this.#missingNano(pool, amountNano, terms)
      const isAdded = await this.#lease(
        pool,
        { leastNano: missingNano, ofNano: missingNano, terms },
        () => {
          isTaken = take()
        },
      )
      if (isTaken || !isAdded) return isTaken
    }
    return false
  }

  /** Fetches a lease in advance; false when too little money is left for one. */
  fetchAhead(pool: LeasePool, amountNano: Nano): Promise<boolean> {
    const leastNano = amountNano * stockForLater
    return this.#lease(pool, { leastNano, ofNano: amountNano, isForLater: true })
  }

  /** Includes the amount that requests have cost beyond their holds. */
  #missingNano(pool: LeasePool, amountNano: Nano, terms: BudgetTerms | undefined): Nano {
    const validSinceMs = this.#time.nowMs() - leaseTimes.admitMs
    const freeNano = terms ? pool.freeUnder(terms, validSinceMs) : pool.freeNano(validSinceMs)
    return freeNano < amountNano ? amountNano - freeNano : amountNano
  }

  /** Repeats the query when the limits have changed, or when the period has ended meanwhile. */
  async #lease(pool: LeasePool, size: LeaseSize, onAdded?: () => void): Promise<boolean> {
    for (let count = 0; count < termsMax; count += 1) {
      const validSinceMs = this.#time.nowMs() - leaseTimes.admitMs
      const isFormer =
        size.terms !== undefined && (size.terms !== pool.terms || pool.hasEnded(validSinceMs))
      const terms = isFormer && size.terms ? size.terms : await this.#presentTerms(pool)
      const { rules } = terms
      const answer = await this.#ask(pool, size, terms, isFormer)
      const isConfirmed = answer !== undefined && isSameVersion(answer.versions, rules.versions)
      // The limits may have been replaced during the query.
      if (isConfirmed && !isFormer && terms.rules === rules) terms.isStored = true
      if (answer?.grantedNano !== undefined) {
        onAdded?.()
        return true
      }
      if (!answer || isFormer) return false
      if (!isConfirmed) await this.refreshRules(pool)
      else if (pool.userId !== undefined && rules.versions.member < 0)
        throw new OwnerLeft('The owner of the key is not a member of the account.')
      else if (terms.contains(answer.databaseMs)) return false
    }
    throw new Error('The limits of the key changed while money was requested for it.')
  }

  /** Throws when a budget has an unknown time zone, unless another zone has replaced it since it was read. */
  async #presentTerms(pool: LeasePool): Promise<BudgetTerms> {
    if (pool.moveTo(this.databaseMs()).unknownZone) await this.refreshRules(pool)
    const terms = pool.moveTo(this.databaseMs())
    if (terms.unknownZone) throw new BudgetZoneUnknown(terms.unknownZone)
    return terms
  }

  /** One query to the database. A granted lease is in the pool when this returns. */
  async #ask(
    pool: LeasePool,
    size: LeaseSize,
    terms: BudgetTerms,
    isFormer: boolean,
  ): Promise<GrantAnswer | undefined> {
    const { clock, commits, owner, engine } = this.#deps
    const { leastNano, ofNano, isForLater = false } = size
    const renewedMs = this.#time.nowMs()
    const leaseId = newId('lease', this.#deps.random)
    const wantedNano = pool.nextLeaseNano(ofNano, clock.monotonicMs())
    const { keyId, accountId, userId } = pool
    const names = { leaseId, keyId, accountId, userId, budgetSet: terms.setId }
    const request = { ...names, leastNano, wantedNano, reclaimInMs, isForLater, terms, isFormer }
    let answer: GrantAnswer | undefined
    try {
      answer = readGrant(await commits.run(grantUnit(request, owner, engine.clockSql)))
    } catch (error) {
      // The database may have granted the lease although the answer was lost.
      this.#returns.owe(closeUnit(request))
      throw error
    }
    if (!answer) return undefined
    this.#aheadMs = answer.databaseMs - renewedMs
    terms.measure(renewedMs, answer.databaseMs)
    if (answer.grantedNano !== undefined)
      pool.add(newLease(leaseId, terms, answer.grantedNano, renewedMs))
    return answer
  }
}

/** The version of a member's limits says nothing about another member. Ids contain no spaces. */
function nameOf({ keyId, userId = '' }: LeasePool): string {
  return `${keyId} ${userId}`
}

function newLease(
  id: string,
  terms: BudgetTerms,
  grantedNano: Nano,
  renewedMs: number,
): PooledLease {
  return {
    id,
    terms,
    grantedNano,
    usedNano: 0n,
    version: 1,
    heldNano: 0n,
    holds: 0,
    unshipped: 0,
    renewedMs,
    isGone: false,
  }
}
