import { type Nano, smallerOf } from '../../core/money.ts'

export interface PooledLease {
  readonly id: string
  grantedNano: Nano
  usedNano: Nano
  version: number
  /** What the holds that will be charged to this very lease have set aside, be it here or on others of the pool. */
  heldNano: Nano
  /** Holds that will be charged to this very lease; while there are any it is not closed. */
  holds: number
  /** Settlements that the database has not got yet: until then it does not know all that is used. */
  unshipped: number
  /** On the monotonic clock, from before the database was asked. */
  renewedMs: number
  /** When it is renewed again, after a renewal that has failed. */
  renewAgainMs?: number | undefined
  /** The database has it no more: it was taken for abandoned. What is held on it is charged to the account itself. */
  isGone: boolean
}

/** What one key has in this process: the money of its leases, less what is used and what is held. All in memory. */
export class LeasePool {
  readonly keyId: string
  readonly accountId: string
  leases: PooledLease[] = []
  heldNano: Nano = 0n
  lastUsedMs = 0
  lastGrantMs = Number.NEGATIVE_INFINITY
  /** Less than this left, and the next lease should be on its way: a quarter of the last one. */
  refillBelowNano: Nano = 0n
  isLow = false
  /** How many holds the next lease asks for: more while leases run out quickly. */
  appetite = appetiteMin
  /** How many holds money is being fetched for. Their requests may have ended since, and the money comes all the same. */
  fetches = 0
  /** Told when there is more to be spent, while somebody waits for that. */
  onFreed: (() => void) | undefined

  constructor(keyId: string, accountId: string) {
    this.keyId = keyId
    this.accountId = accountId
  }

  /**
   * What may be spent. A lease that was not renewed since may be anybody's by now: it counts for what it owes, and for
   * nothing that it has.
   */
  freeNano(validSinceMs: number = Number.NEGATIVE_INFINITY): Nano {
    return freeOf(this.leases, validSinceMs)
  }

  /** Sets money aside on the youngest lease, the last to be given back; undefined when there is not enough. */
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

  /** Adds to a hold that is there already; false when there is not enough. */
  hold(lease: PooledLease, amountNano: Nano, validSinceMs: number): boolean {
    const freeNano = this.freeNano(validSinceMs)
    if (freeNano < amountNano) return false
    this.isLow = freeNano - amountNano < this.refillBelowNano
    this.heldNano += amountNano
    lease.heldNano += amountNano
    return true
  }

  /** Adds as much of the amount as there is, and says how much that was. */
  holdSome(lease: PooledLease, amountNano: Nano, validSinceMs: number): Nano {
    const someNano = smallerOf(amountNano, this.freeNano(validSinceMs))
    return someNano > 0n && this.hold(lease, someNano, validSinceMs) ? someNano : 0n
  }

  /** Gives back what was added to a hold. */
  letGo(lease: PooledLease, amountNano: Nano): void {
    this.heldNano -= amountNano
    lease.heldNano -= amountNano
    this.onFreed?.()
  }

  /** Moves a hold to what it cost. */
  release(lease: PooledLease, amountNano: Nano, costNano: Nano): void {
    this.heldNano -= amountNano
    lease.heldNano -= amountNano
    lease.holds -= 1
    lease.usedNano += costNano
    this.onFreed?.()
  }

  /** What the next lease should bring beyond the least: more while they run out quickly. */
  nextWish(leastNano: Nano, nowMs: number): Nano {
    // A key that was busy a moment ago keeps some of its stock: it may have to outlast a silent database.
    const growth = Math.min(Math.max(lastsMs / (nowMs - this.lastGrantMs), 1 / 2), growthMax)
    this.appetite = Math.round(Math.min(Math.max(this.appetite * growth, appetiteMin), appetiteMax))
    this.lastGrantMs = nowMs
    return leastNano * BigInt(this.appetite)
  }
}

const appetiteMin = 8
const appetiteMax = 8_192
/** How long a lease should last: a busy key should outlast a database that is away for some while. */
const lastsMs = 30_000
const growthMax = 16
const refillShare = 4n

/** Whether the lease is surely ours, and with it what it has. */
export function isSure(lease: PooledLease, validSinceMs: number): boolean {
  return !lease.isGone && lease.renewedMs >= validSinceMs
}

/** Whether only the database can tell if the lease is still ours. */
export function isUnsure(lease: PooledLease, validSinceMs: number): boolean {
  return !lease.isGone && lease.renewedMs < validSinceMs
}

/** What leases have together beyond what is used and held of them; see `LeasePool.freeNano`. */
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
