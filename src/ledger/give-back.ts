import { type Nano, smallerOf } from '../core/money.ts'
import type { Unit } from '../store/engine.ts'
import type { LeasePool, PooledLease } from './lease-pool.ts'
import { closeUnit, shrinkUnit } from './lease-units.ts'

/**
 * Takes what is free out of a pool and says how to return it to the database: whole leases where nothing is
 * held on them, otherwise a part. The pool is smaller from this moment, before the database knows.
 */
export function takeBack(pool: LeasePool): Unit[] {
  const units: Unit[] = []
  let freeNano = pool.freeNano()
  const kept: PooledLease[] = []
  for (const lease of pool.leases) {
    const facts = { leaseId: lease.id, accountId: pool.accountId, keyId: pool.keyId }
    const restNano = lease.grantedNano - lease.usedNano
    if (isClosable(lease) && restNano <= freeNano) {
      units.push(closeUnit(facts))
      freeNano -= restNano
      continue
    }
    kept.push(lease)
    const backNano: Nano = smallerOf(restNano, freeNano)
    if (backNano <= 0n) continue
    const toNano = lease.grantedNano - backNano
    units.push(shrinkUnit(facts, { fromNano: lease.grantedNano, toNano, version: lease.version }))
    lease.grantedNano = toNano
    lease.version += 1
    freeNano -= backNano
  }
  pool.leases = kept
  return units
}

/** Closes the leases that nobody holds on, but the youngest. What they have left goes home with them. */
export function takeBackElders(pool: LeasePool): Unit[] {
  const youngest = pool.leases.at(-1)
  const closable = pool.leases.filter((lease) => lease !== youngest && isClosable(lease))
  let freeNano = pool.freeNano()
  const units: Unit[] = []
  for (const lease of closable) {
    const restNano = lease.grantedNano - lease.usedNano
    if (restNano > freeNano) continue
    freeNano -= restNano
    pool.leases = pool.leases.filter((each) => each !== lease)
    units.push(closeUnit({ leaseId: lease.id, accountId: pool.accountId, keyId: pool.keyId }))
  }
  return units
}

function isClosable(lease: PooledLease): boolean {
  return lease.holds === 0 && lease.unshipped === 0
}
