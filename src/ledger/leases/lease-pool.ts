import { type Nano, smallerOf } from '../../core/money.ts'

export interface PooledLease {
  readonly id: string
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

/** The money of one key in this process, in memory: its leases minus the used and the held amounts. */
export class LeasePool {
  readonly keyId: string
  readonly accountId: string
  leases: PooledLease[] = []
  heldNano: Nano = 0n
  lastUsedMs = 0
  lastGrantMs = Number.NEGATIVE_INFINITY
  /** When less than this is left (a quarter of the last lease), the next lease should be on its way. */
  refillBelowNano: Nano = 0n
  isLow = false
  /** Size of the next lease in holds. It grows while leases run out quickly. */
  appetite = appetiteMin
  /** Number of holds for which money is on its way. Their requests may have ended; the money arrives anyway. */
  fetches = 0
  /** Called when more money is free, while a request waits for it. */
  onFreed: (() => void) | undefined

  constructor(keyId: string, accountId: string) {
    this.keyId = keyId
    this.accountId = accountId
  }

  /**
   * The money that may be spent. A lease that was not renewed since `validSinceMs` may have another owner by now: its
   * debt counts, its money does not.
   */
  freeNano(validSinceMs: number = Number.NEGATIVE_INFINITY): Nano {
    return freeOf(this.leases, validSinceMs)
  }

  /** Holds money on the youngest lease, which is returned last; undefined when there is not enough. */
  take(amountNano: Nano, validSinceMs: number): PooledLease | undefined {
    const lease = this.#youngest(validSinceMs)
    if (!lease || !this.hold(lease, amountNano, validSinceMs)) return undefined
    lease.holds += 1
    return lease
  }

  #youngest(validSinceMs: number): PooledLease | undefined {
    for (let at = this.leases.length - 1; at >= 0; at -= 1) {
      const lease = this.leases[at]
      if (lease && isSure(lease, validSinceMs)) return lease
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
    const freeNano = this.freeNano(validSinceMs)
    if (freeNano < amountNano) return false
    this.isLow = freeNano - amountNano < this.refillBelowNano
    this.heldNano += amountNano
    lease.heldNano += amountNano
    return true
  }

  /** Adds as much of the amount as there is, and returns the added amount. */
  holdSome(lease: PooledLease, amountNano: Nano, validSinceMs: number): Nano {
    const someNano = smallerOf(amountNano, this.freeNano(validSinceMs))
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
  nextWish(leastNano: Nano, nowMs: number): Nano {
    // The size at most halves at a time: a key that was busy a moment ago may have to outlast a silent database.
    const growth = Math.min(Math.max(lastsMs / (nowMs - this.lastGrantMs), 1 / 2), growthMax)
    this.appetite = Math.round(Math.min(Math.max(this.appetite * growth, appetiteMin), appetiteMax))
    this.lastGrantMs = nowMs
    return leastNano * BigInt(this.appetite)
  }
}

const appetiteMin = 8
const appetiteMax = 8_192
/** How long a lease should last. A busy key should outlast a short database outage. */
const lastsMs = 30_000
const growthMax = 16
const refillShare = 4n

/** Whether this process surely owns the lease and its money. */
export function isSure(lease: PooledLease, validSinceMs: number): boolean {
  return !lease.isGone && lease.renewedMs >= validSinceMs
}

/** Whether only the database can tell if this process still owns the lease. */
export function isUnsure(lease: PooledLease, validSinceMs: number): boolean {
  return !lease.isGone && lease.renewedMs < validSinceMs
}

/** The money of several leases minus the used and held amounts; see `LeasePool.freeNano`. */
export function freeOf(leases: Iterable<PooledLease>, validSinceMs: number): Nano {
  let freeNano = 0n
  for (const lease of leases) {
    const ofLeaseNano = restOf(lease) - lease.heldNano
    if (ofLeaseNano < 0n || isSure(lease, validSinceMs)) freeNano += ofLeaseNano
  }
  return freeNano
}

export function restOf(lease: PooledLease): Nano {
  return lease.isGone ? 0n : lease.grantedNano - lease.usedNano
}
