import { type Nano, smallerOf } from '../../core/money/money.ts'
import { type BudgetRules, BudgetTerms, unlimitedRules } from '../budgets/budget-terms.ts'
import { leaseTimes } from './lease-times.ts'

export interface PooledLease {
  readonly id: string
  /** The counters that its money comes from. */
  readonly terms: BudgetTerms
  grantedNano: Nano
  usedNano: Nano
  version: number
  /**
   * Money held by requests that will be charged to this lease, whether it comes from this lease or from others of the
   * pool.
   */
  heldNano: Nano
  /** Number of holds that will be charged to this lease. The lease stays open while there are any. */
  holds: number
  /**
   * Settlements that the database does not have yet. Until it has them, it does not know how much of the lease is used.
   */
  unshipped: number
  /** Monotonic time, read before the renewal was sent. */
  renewedMs: number
  /** Time of the next renewal after a failed one. */
  renewAgainMs?: number | undefined
  /**
   * The database no longer has the lease, because it reclaimed the lease as abandoned. Its holds are charged directly
   * to the account.
   */
  isGone: boolean
}

/**
 * The money of one key in this process, in memory: its leases minus the used and the held amounts. Money of one lease
 * covers holds on other leases under the same terms only, because other terms have other counters.
 */
export class LeasePool {
  readonly keyId: string
  readonly accountId: string
  readonly userId: string | undefined
  /** The limits, as last read from the database. */
  rules: BudgetRules
  /** The terms under which requests are admitted now. */
  terms: BudgetTerms
  leases: PooledLease[] = []
  heldNano: Nano = 0n
  lastUsedMs = 0
  lastGrantMs = Number.NEGATIVE_INFINITY
  /** When less than this is left (a quarter of the last lease), the next lease should be on its way. */
  refillBelowNano: Nano = 0n
  isLow = false
  /** Size of the next lease in holds. It grows while leases run out quickly. */
  holdsPerLease = holdsPerLeaseMin
  /** Number of holds for which money is on its way. Their requests may have ended; the money arrives anyway. */
  fetches = 0
  /** Called when more money is free, while a request waits for it. */
  onFreed: (() => void) | undefined

  constructor(keyId: string, accountId: string, userId?: string) {
    this.keyId = keyId
    this.accountId = accountId
    this.userId = userId
    this.rules = unlimitedRules(userId !== undefined)
    this.terms = new BudgetTerms(this.rules, 0)
  }

  /** Whether the period of the present terms is over, so that nothing is admitted under them. */
  hasEnded(validSinceMs: number): boolean {
    return validSinceMs + leaseTimes.admitMs >= this.terms.admitUntilMs
  }

  /** Moves to the terms at a time of the database, and returns them. */
  moveTo(databaseMs: number): BudgetTerms {
    if (!this.terms.contains(databaseMs)) {
      const terms = new BudgetTerms(this.rules, databaseMs)
      const known = this.leases.find((lease) => lease.terms.setId === terms.setId)?.terms
      this.terms = known?.takeOver(this.rules, databaseMs) === true ? known : terms
    }
    return this.terms
  }

  /** Takes over new limits. The leases stay usable if their counters remain the same. */
  takeRules(rules: BudgetRules, databaseMs: number): void {
    this.rules = rules
    if (this.terms.contains(databaseMs) && this.terms.takeOver(rules, databaseMs)) return
    this.terms = new BudgetTerms(rules, databaseMs)
  }

  /** The money that a new request may spend. */
  freeNano(validSinceMs: number = Number.NEGATIVE_INFINITY): Nano {
    return this.hasEnded(validSinceMs) ? 0n : this.freeUnder(this.terms, validSinceMs)
  }

  /**
   * The money that requests under these terms may spend. A lease that was not renewed since `validSinceMs` may have
   * another owner by now: its debt counts, its money does not.
   */
  freeUnder(terms: BudgetTerms, validSinceMs: number): Nano {
    let freeNano = 0n
    for (const lease of this.leases)
      if (lease.terms === terms) freeNano += freeInLease(lease, validSinceMs)
    return freeNano
  }

  /** Holds money on the youngest lease, which is returned last; undefined when there is not enough. */
  take(amountNano: Nano, validSinceMs: number): PooledLease | undefined {
    if (this.hasEnded(validSinceMs)) return undefined
    const lease = this.#newest(validSinceMs)
    if (!lease || !this.hold(lease, amountNano, validSinceMs)) return undefined
    lease.holds += 1
    return lease
  }

  #newest(validSinceMs: number): PooledLease | undefined {
    for (let at = this.leases.length - 1; at >= 0; at -= 1) {
      const lease = this.leases[at]
      if (lease && lease.terms === this.terms && isSure(lease, validSinceMs)) return lease
    }
    return undefined
  }

  add(lease: PooledLease): void {
    this.leases.push(lease)
    this.refillBelowNano = lease.grantedNano / refillShare
    this.onFreed?.()
  }

  /** Adds to an existing hold; false when there is not enough money. */
  hold(lease: PooledLease, amountNano: Nano, validSinceMs: number): boolean {
    const freeNano = this.freeUnder(lease.terms, validSinceMs)
    if (freeNano < amountNano) return false
    this.isLow = freeNano - amountNano < this.refillBelowNano
    this.heldNano += amountNano
    lease.heldNano += amountNano
    return true
  }

  /** Adds as much of the amount as there is, and returns the added amount. */
  holdSome(lease: PooledLease, amountNano: Nano, validSinceMs: number): Nano {
    const someNano = smallerOf(amountNano, this.freeUnder(lease.terms, validSinceMs))
    return someNano > 0n && this.hold(lease, someNano, validSinceMs) ? someNano : 0n
  }

  /** Returns money that was added to a hold. */
  letGo(lease: PooledLease, amountNano: Nano): void {
    this.heldNano -= amountNano
    lease.heldNano -= amountNano
    this.onFreed?.()
  }

  /** Ends a hold and charges its cost to the lease. */
  release(lease: PooledLease, amountNano: Nano, costNano: Nano): void {
    this.heldNano -= amountNano
    lease.heldNano -= amountNano
    lease.holds -= 1
    lease.usedNano += costNano
    this.onFreed?.()
  }

  /** The preferred size of the next lease. */
  nextLeaseNano(leastNano: Nano, nowMs: number): Nano {
    // The size at most halves at a time: a key that was busy a moment ago may have to outlast a silent database.
    const growth = Math.min(Math.max(lastsMs / (nowMs - this.lastGrantMs), 1 / 2), growthMax)
    this.holdsPerLease = Math.round(
      Math.min(Math.max(this.holdsPerLease * growth, holdsPerLeaseMin), holdsPerLeaseMax),
    )
    this.lastGrantMs = nowMs
    return leastNano * BigInt(this.holdsPerLease)
  }
}

const holdsPerLeaseMin = 8
const holdsPerLeaseMax = 8_192
/** How long a lease should last. A busy key should outlast a short database outage. */
const lastsMs = 30_000
const growthMax = 16
const refillShare = 4n

/** Whether this process certainly owns the lease and its money. */
export function isSure(lease: PooledLease, validSinceMs: number): boolean {
  return !lease.isGone && lease.renewedMs >= validSinceMs
}

/** Whether only the database can tell if this process still owns the lease. */
export function isUnsure(lease: PooledLease, validSinceMs: number): boolean {
  return !lease.isGone && lease.renewedMs < validSinceMs
}

/** The money of several leases under the same terms minus the used and held amounts; see `LeasePool.freeUnder`. */
export function freeOf(leases: Iterable<PooledLease>, validSinceMs: number): Nano {
  let freeNano = 0n
  for (const lease of leases) freeNano += freeInLease(lease, validSinceMs)
  return freeNano
}

function freeInLease(lease: PooledLease, validSinceMs: number): Nano {
  const freeNano = restOf(lease) - lease.heldNano
  return freeNano < 0n || isSure(lease, validSinceMs) ? freeNano : 0n
}

export function restOf(lease: PooledLease): Nano {
  return lease.isGone ? 0n : lease.grantedNano - lease.usedNano
}
