import { describe, expect, test } from 'bun:test'
import { BudgetTerms } from '../../../src/ledger/budgets/budget-terms.ts'
import {
  isSure,
  isUnsure,
  LeasePool,
  type PooledLease,
} from '../../../src/ledger/leases/lease-pool.ts'
import { LeasePools } from '../../../src/ledger/leases/lease-pools.ts'
import { leaseTimes } from '../../../src/ledger/leases/lease-times.ts'
import { dayMs, mondayMs, rulesOf } from './budget-limits.ts'

const always = Number.NEGATIVE_INFINITY

function leaseOf(terms: BudgetTerms, grantedNano: bigint, renewedMs = 0): PooledLease {
  const state = { usedNano: 0n, version: 1, heldNano: 0n, holds: 0, unshipped: 0, isGone: false }
  return { ...state, id: `l${grantedNano}`, terms, grantedNano, renewedMs }
}

/** A pool whose key has a daily limit. Its process has the clock of the database. */
function openPool(atMs = mondayMs + 1): LeasePool {
  const pool = new LeasePool('k', 'a')
  pool.takeRules(rulesOf({ dailyNano: 100n }), atMs)
  pool.terms.measure(atMs, atMs)
  return pool
}

describe('terms', () => {
  test('last from the latest beginning of a period to the earliest end', () => {
    const both = { totalNano: 1n, dailyNano: 1n, weeklyNano: 1n }
    const terms = new BudgetTerms(rulesOf(both), mondayMs + dayMs + 5)
    const [startMs, endMs] = [mondayMs + dayMs, mondayMs + 2 * dayMs]
    expect([terms.startsAtMs, terms.endsAtMs]).toEqual([startMs, endMs])
    expect([startMs - 1, startMs, endMs - 1, endMs].map((ms) => terms.contains(ms))).toEqual([
      false,
      true,
      true,
      false,
    ])
  })

  test.each([{ totalNano: 1n }, {}])('without periods have no end: %p', (limits) => {
    const terms = new BudgetTerms(rulesOf(limits), mondayMs)
    expect([terms.startsAtMs, terms.endsAtMs]).toEqual([0, Number.POSITIVE_INFINITY])
    expect(terms.contains(Number.MAX_SAFE_INTEGER)).toBe(true)
  })

  test('new limits of the same counters are used, and must be stored again', () => {
    const pool = openPool()
    const { terms } = pool
    terms.isStored = true
    pool.takeRules(rulesOf({ dailyNano: 200n }, 2), mondayMs + 2)
    expect(pool.terms).toBe(terms)
    expect(terms.isStored).toBe(false)
    expect(terms.rules.versions.key).toBe(2)
    expect(terms.counters.map(({ limitNano }) => limitNano)).toEqual([200n])
  })

  test.each([
    ['another kind of limit', rulesOf({ dailyNano: 100n, totalNano: 5n }, 2), mondayMs + 2],
    ['no limit', rulesOf({}, 2), mondayMs + 2],
    ['the next day', rulesOf({ dailyNano: 100n }, 2), mondayMs + dayMs],
  ])('%s: other terms, and the money of the former ones stays with them', (_, rules, atMs) => {
    const pool = openPool()
    const { terms } = pool
    pool.add(leaseOf(terms, 50n))
    pool.takeRules(rules, atMs)
    pool.terms.measure(atMs, atMs)
    expect(pool.terms.setId).not.toBe(terms.setId)
    expect(pool.freeUnder(pool.terms, always)).toBe(0n)
    expect(pool.freeUnder(terms, always)).toBe(50n)
    expect(terms.rules.versions.key).toBe(1)
  })

  test('of a period that a clock returns to are those of its leases, with the present limits', () => {
    const pool = openPool()
    const { terms } = pool
    pool.add(leaseOf(terms, 50n))
    expect(pool.moveTo(mondayMs + dayMs - 1)).toBe(terms)
    const next = pool.moveTo(mondayMs + dayMs)
    expect(next.setId).not.toBe(terms.setId)
    pool.takeRules(rulesOf({ dailyNano: 70n }, 2), mondayMs + dayMs)
    expect(pool.moveTo(mondayMs + dayMs - 1)).toBe(terms)
    expect(terms.rules.versions.key).toBe(2)
    expect(terms.counters.map(({ limitNano }) => limitNano)).toEqual([70n])
  })
})

describe('money', () => {
  test('of a period is free until its last millisecond, and not one longer', () => {
    const pool = openPool()
    const endMs = mondayMs + dayMs
    pool.add(leaseOf(pool.terms, 50n, endMs))
    const before = endMs - 1 - leaseTimes.admitMs
    expect([pool.hasEnded(before), pool.freeNano(before)]).toEqual([false, 50n])
    const after = endMs - leaseTimes.admitMs
    expect([pool.hasEnded(after), pool.freeNano(after)]).toEqual([true, 0n])
    expect(pool.take(1n, after)).toBeUndefined()
    // A request in flight keeps the money of its period.
    expect(pool.freeUnder(pool.terms, after)).toBe(50n)
    expect(pool.take(1n, before)?.holds).toBe(1)
  })

  test('is held on the youngest lease of the present terms that is certainly there', () => {
    const pool = openPool()
    const former = new BudgetTerms(rulesOf({ dailyNano: 100n }), mondayMs - 1)
    const older = leaseOf(pool.terms, 20n, 10)
    const unsure = leaseOf(pool.terms, 30n, 9)
    const gone = { ...leaseOf(pool.terms, 35n, 10), isGone: true }
    for (const lease of [older, unsure, gone, leaseOf(former, 40n, 10)]) pool.add(lease)
    expect(pool.take(20n, 10)).toBe(older)
    expect(pool.take(1n, 10)).toBeUndefined()
    expect([older.holds, older.heldNano, pool.heldNano]).toEqual([1, 20n, 20n])
  })

  test('is held to the last nano', () => {
    const pool = openPool()
    const lease = leaseOf(pool.terms, 20n)
    pool.add(lease)
    expect(pool.hold(lease, 21n, always)).toBe(false)
    expect(pool.hold(lease, 20n, always)).toBe(true)
    expect(pool.holdSome(lease, 5n, always)).toBe(0n)
    pool.letGo(lease, 3n)
    expect([lease.heldNano, pool.heldNano]).toEqual([17n, 17n])
    expect(pool.holdSome(lease, 5n, always)).toBe(3n)
    expect([lease.heldNano, pool.heldNano]).toEqual([20n, 20n])
  })

  test('that comes back is told to those who wait', () => {
    const pool = openPool()
    let told = 0
    pool.onFreed = () => {
      told += 1
    }
    pool.add(leaseOf(pool.terms, 20n))
    expect(told).toBe(1)
    const lease = pool.take(5n, always)
    if (!lease) throw new Error('there is money')
    pool.hold(lease, 5n, always)
    pool.letGo(lease, 5n)
    expect(told).toBe(2)
    pool.release(lease, 5n, 2n)
    expect(told).toBe(3)
    expect([lease.usedNano, lease.holds, pool.freeNano()]).toEqual([2n, 0, 18n])
  })

  test('is low below a quarter of the last lease', () => {
    const pool = openPool()
    pool.add(leaseOf(pool.terms, 40n))
    pool.take(30n, always)
    expect(pool.isLow).toBe(false)
    pool.take(1n, always)
    expect(pool.isLow).toBe(true)
  })

  test.each([
    [10, false, true, false],
    [9, false, false, true],
    [10, true, false, false],
    [9, true, false, false],
  ])('of a lease that was renewed at %p, gone: %p', (renewedMs, isGone, sure, unsure) => {
    const lease = { ...leaseOf(openPool().terms, 1n, renewedMs), isGone }
    expect([isSure(lease, 10), isUnsure(lease, 10)]).toEqual([sure, unsure])
  })

  test('comes in larger leases while they run out quickly, and in smaller ones after a rest', () => {
    const pool = openPool()
    const sizes = [0, 1, 2, 3, 4, 60_000_000, 120_000_000].map((nowMs) =>
      pool.nextLeaseNano(10n, nowMs),
    )
    expect(sizes).toEqual([80n, 1_280n, 20_480n, 81_920n, 81_920n, 40_960n, 20_480n])
  })
})

describe('the pools of a process', () => {
  test('are one for each owner of a key', () => {
    const made: LeasePool[] = []
    const pools = new LeasePools((pool) => made.push(pool))
    const payer = (userId?: string, keyId = 'k') => ({ keyId, accountId: 'a', userId })
    const [service, ann, bob] = [payer(), payer('ann'), payer('bob')].map((each) => pools.of(each))
    if (!service || !ann || !bob) throw new Error('each owner has a pool')
    expect(new Set([service, ann, bob]).size).toBe(3)
    expect(made).toEqual([service, ann, bob])
    expect(pools.of(payer('ann'))).toBe(ann)
    pools.delete(service)
    pools.delete(ann)
    expect([...pools.values()]).toEqual([bob])
    expect(pools.of(payer('bob'))).toBe(bob)
    pools.delete(bob)
    expect([...pools.values()]).toEqual([])
    expect(pools.of(payer('bob'))).not.toBe(bob)
  })
})
