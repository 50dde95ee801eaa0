import { type Nano, smallerOf } from '../../core/money.ts'
import type { Unit } from '../../store/engine.ts'
import { joinUnits } from '../../store/join-units.ts'
import { freeOf, isSure, isUnsure, type LeasePool, type PooledLease, restOf } from './lease-pool.ts'
import { closeUnit, shrinkUnit } from './lease-units.ts'

/**
 * Takes what is free out of a pool and says how to return it to the database: whole leases where nothing is
 * held on them, otherwise a part. The pool is smaller from this moment, before the database knows. While it is not
 * sure whose a lease is, nobody can say what is free: then either everything goes, or nothing.
 */
export function takeBack(pool: LeasePool, validSinceMs: number): Unit | undefined {
  if (hasUnsure(pool, validSinceMs) && !pool.leases.every(isClosable)) return undefined
  const units = closeLeases(pool, pool.leases, validSinceMs)
  units.push(...shrinkLeases(pool, validSinceMs, pool.freeNano(validSinceMs)))
  return together(units)
}

/**
 * Closes the leases that nobody holds on, but the youngest. What they have left goes home with them. What they owe is
 * taken from the purse, which may not have it: so as much of the others' money goes home with it.
 */
export function takeBackElders(pool: LeasePool, validSinceMs: number): Unit | undefined {
  if (hasUnsure(pool, validSinceMs)) return undefined
  const freeNano = pool.freeNano(validSinceMs)
  const beforeNano = freeNano < 0n ? 0n : freeNano
  const units = closeLeases(pool, pool.leases.slice(0, -1), validSinceMs)
  units.push(...shrinkLeases(pool, validSinceMs, pool.freeNano(validSinceMs) - beforeNano))
  return together(units)
}

/** A debt that reached the purse without the money that pays for it, or after it, could be spent by another in between. */
function together(units: readonly Unit[]): Unit | undefined {
  return units.length === 0 ? undefined : joinUnits(units)
}

function hasUnsure(pool: LeasePool, validSinceMs: number): boolean {
  return pool.leases.some((lease) => isUnsure(lease, validSinceMs))
}

/** Gives back so much of leases that must stay, and are surely ours. */
function shrinkLeases(pool: LeasePool, validSinceMs: number, amountNano: Nano): Unit[] {
  const units: Unit[] = []
  let freeNano = amountNano
  for (const lease of pool.leases) {
    if (!isSure(lease, validSinceMs)) continue
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
    // A debt may go home. Money may only if it is not the cover of a debt, or of a hold, that stays.
    if (restOf(lease) > 0n && freeOf(kept, validSinceMs) < 0n) kept.add(lease)
    else if (!lease.isGone) closed.push(lease)
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

function byRest(left: PooledLease, right: PooledLease): number {
  const difference = restOf(left) - restOf(right)
  if (difference === 0n) return 0
  return difference < 0n ? -1 : 1
}
