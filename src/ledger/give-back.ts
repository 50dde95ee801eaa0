import { type Nano, smallerOf } from '../core/money.ts'
import type { Unit } from '../store/engine.ts'
import { freeOf, type LeasePool, type PooledLease } from './lease-pool.ts'
import { closeUnit, shrinkUnit } from './lease-units.ts'

/**
 * Takes what is free out of a pool and says how to return it to the database: whole leases where nothing is
 * held on them, otherwise a part. The pool is smaller from this moment, before the database knows. A lease that was
 * not renewed since `validSinceMs` may be anybody's by now: it covers nothing, so nothing goes home in its place.
 */
export function takeBack(pool: LeasePool, validSinceMs: number): Unit[] {
  const units = closeLeases(pool, pool.leases, validSinceMs)
  const isValid = (lease: PooledLease): boolean => lease.renewedMs >= validSinceMs
  const old = pool.leases.filter((lease) => !isValid(lease))
  units.push(...shrinkLeases(pool, pool.leases.filter(isValid), pool.freeNano(validSinceMs)))
  units.push(...shrinkLeases(pool, old, freeOf(old, Number.NEGATIVE_INFINITY)))
  return units
}

/** Gives back so much of leases that must stay. */
function shrinkLeases(pool: LeasePool, leases: readonly PooledLease[], restNano: Nano): Unit[] {
  const units: Unit[] = []
  let freeNano = restNano
  for (const lease of leases) {
    const backNano: Nano = smallerOf(restOf(lease), freeNano)
    if (backNano <= 0n) continue
    const toNano = lease.grantedNano - backNano
    const facts = { leaseId: lease.id, accountId: pool.accountId, keyId: pool.keyId }
    const change = { fromNano: lease.grantedNano, toNano, version: lease.version }
    units.push(shrinkUnit(facts, change))
    lease.grantedNano = toNano
    lease.version += 1
    freeNano -= backNano
  }
  return units
}

/** Closes the leases that nobody holds on, but the youngest. What they have left goes home with them. */
export function takeBackElders(pool: LeasePool, validSinceMs: number): Unit[] {
  return closeLeases(pool, pool.leases.slice(0, -1), validSinceMs)
}

/** Closes what can be closed while the others still cover all that is held; those that are overdrawn go first. */
function closeLeases(
  pool: LeasePool,
  candidates: readonly PooledLease[],
  validSinceMs: number,
): Unit[] {
  const kept = new Set(pool.leases)
  const closed: PooledLease[] = []
  for (const lease of candidates.toSorted(byRest)) {
    if (!isClosable(lease)) continue
    kept.delete(lease)
    // A debt may always go home. Money may only if it is not the cover of a debt, or of a hold, that stays.
    if (restOf(lease) > 0n && freeOf(kept, validSinceMs) < 0n) kept.add(lease)
    else closed.push(lease)
  }
  pool.leases = pool.leases.filter((lease) => kept.has(lease))
  return closed.map((lease) =>
    closeUnit({ leaseId: lease.id, accountId: pool.accountId, keyId: pool.keyId }),
  )
}

/** Until the database has every settlement of a lease it does not know how much of it is used. */
function isClosable(lease: PooledLease): boolean {
  return lease.holds === 0 && lease.unshipped === 0
}

function restOf(lease: PooledLease): Nano {
  return lease.grantedNano - lease.usedNano
}

function byRest(left: PooledLease, right: PooledLease): number {
  const difference = restOf(left) - restOf(right)
  if (difference === 0n) return 0
  return difference < 0n ? -1 : 1
}
