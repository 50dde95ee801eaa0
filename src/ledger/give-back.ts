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
    if (lease.holds === 0 && restNano <= freeNano) {
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
