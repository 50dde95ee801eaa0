import { type Nano, smallerOf } from '../../core/money/money.ts'
import type { Unit } from '../../store/engine.ts'
import { joinUnits } from '../../store/units/join-units.ts'
import type { BudgetTerms } from '../budgets/budget-terms.ts'
import { freeOf, isSure, isUnsure, type LeasePool, type PooledLease, restOf } from './lease-pool.ts'
import { closeUnit, type LeaseFacts, shrinkUnit } from './lease-units.ts'

/**
 * Takes the free money out of a pool and returns the unit that gives it back to the database: whole leases without
 * holds, and parts of the others. The pool shrinks at once, before the database knows. While the ownership of a lease
 * is uncertain, the free amount is unknown; then the function takes either every lease or nothing.
 */
export function takeBack(pool: LeasePool, validSinceMs: number): Unit | undefined {
  if (hasUnsure(pool, validSinceMs) && !pool.leases.every(isClosable)) return undefined
  return together(groupsOf(pool).flatMap((group) => takeAll(pool, group, validSinceMs)))
}

/**
 * Closes the leases without holds, except the youngest under the present terms. Their unused money returns with them. A
 * lease that owes money takes the debt from the account, which may not have enough; the same amount of the other
 * leases' money returns in the same unit. Money under other terms returns completely, because no new request can spend
 * it.
 */
export function closeIdleLeases(pool: LeasePool, validSinceMs: number): Unit | undefined {
  if (hasUnsure(pool, validSinceMs)) return undefined
  const hasEnded = pool.hasEnded(validSinceMs)
  const units = groupsOf(pool).flatMap((group) => {
    const isInUse = group.terms === pool.terms && !hasEnded
    return isInUse ? takeOlder(pool, group, validSinceMs) : takeAll(pool, group, validSinceMs)
  })
  return together(units)
}

/** The leases under the same terms, which share their money. */
interface LeaseGroup {
  readonly terms: BudgetTerms
  leases: PooledLease[]
}

function groupsOf(pool: LeasePool): LeaseGroup[] {
  const groups = Map.groupBy(pool.leases, ({ terms }) => terms)
  return [...groups].map(([terms, leases]) => ({ terms, leases }))
}

function takeAll(pool: LeasePool, group: LeaseGroup, validSinceMs: number): Unit[] {
  const closes = closeLeases(pool, group, group.leases, validSinceMs)
  const freeNano = freeOf(group.leases, validSinceMs)
  return [...closes, ...shrinkLeases(pool, group, validSinceMs, freeNano)]
}

function takeOlder(pool: LeasePool, group: LeaseGroup, validSinceMs: number): Unit[] {
  const freeNano = freeOf(group.leases, validSinceMs)
  const beforeNano = freeNano < 0n ? 0n : freeNano
  const closes = closeLeases(pool, group, group.leases.slice(0, -1), validSinceMs)
  const moreNano = freeOf(group.leases, validSinceMs) - beforeNano
  return [...closes, ...shrinkLeases(pool, group, validSinceMs, moreNano)]
}

/**
 * One unit, so that a debt and the money that covers it reach the account together. Otherwise another request could
 * spend the cover in between.
 */
function together(units: readonly Unit[]): Unit | undefined {
  return units.length === 0 ? undefined : joinUnits(units)
}

function hasUnsure(pool: LeasePool, validSinceMs: number): boolean {
  return pool.leases.some((lease) => isUnsure(lease, validSinceMs))
}

/** Returns up to the given amount from leases that stay open and certainly belong to this process. */
function shrinkLeases(
  pool: LeasePool,
  group: LeaseGroup,
  validSinceMs: number,
  amountNano: Nano,
): Unit[] {
  const units: Unit[] = []
  let freeNano = amountNano
  for (const lease of group.leases) {
    if (!isSure(lease, validSinceMs)) continue
    const backNano: Nano = smallerOf(restOf(lease), freeNano)
    if (backNano <= 0n) continue
    const toNano = lease.grantedNano - backNano
    const facts = factsOf(pool, lease)
    const change = { fromNano: lease.grantedNano, toNano, version: lease.version }
    units.push(shrinkUnit(facts, change))
    lease.grantedNano = toNano
    lease.version += 1
    freeNano -= backNano
  }
  return units
}

/** Closes leases as long as the remaining ones cover everything that is held. Overdrawn leases go first. */
function closeLeases(
  pool: LeasePool,
  group: LeaseGroup,
  candidates: readonly PooledLease[],
  validSinceMs: number,
): Unit[] {
  const kept = new Set(group.leases)
  const closed: PooledLease[] = []
  for (const lease of candidates.toSorted(byRest)) {
    if (!isClosable(lease)) continue
    kept.delete(lease)
    // A debt may always return. Money may return only if it does not cover a debt or a hold that stays.
    if (restOf(lease) > 0n && freeOf(kept, validSinceMs) < 0n) kept.add(lease)
    else if (!lease.isGone) closed.push(lease)
  }
  pool.leases = pool.leases.filter((lease) => lease.terms !== group.terms || kept.has(lease))
  group.leases = group.leases.filter((lease) => kept.has(lease))
  return closed.map((lease) => closeUnit(factsOf(pool, lease)))
}

function factsOf({ accountId, keyId }: LeasePool, { id, terms }: PooledLease): LeaseFacts {
  return { leaseId: id, accountId, keyId, budgetSet: terms.setId }
}

/** Until the database has every settlement of a lease, it does not know how much of the lease is used. */
function isClosable(lease: PooledLease): boolean {
  return lease.holds === 0 && lease.unshipped === 0
}

function byRest(left: PooledLease, right: PooledLease): number {
  const difference = restOf(left) - restOf(right)
  if (difference === 0n) return 0
  return difference < 0n ? -1 : 1
}
