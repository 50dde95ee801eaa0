import { expect, test } from 'bun:test'
import { closeIdleLeases, takeBack } from '../../../src/ledger/leases/give-back.ts'
import { LeasePool } from '../../../src/ledger/leases/lease-pool.ts'

const leaseState = { version: 1, heldNano: 0n, holds: 0, unshipped: 0, renewedMs: 0, isGone: false }

test('money that covers a debt of another lease is not returned before the debt', () => {
  const pool = new LeasePool('k', 'a')
  const lease = { ...leaseState, terms: pool.terms }
  const debt = { ...lease, id: 'debt', grantedNano: 10n, usedNano: 30n, unshipped: 1 }
  pool.leases = [debt, { ...lease, id: 'cover', grantedNano: 20n, usedNano: 0n }]
  expect(takeBack(pool, Number.NEGATIVE_INFINITY)).toBeUndefined()
  debt.unshipped = 0
  expect(takeBack(pool, Number.NEGATIVE_INFINITY)?.locks?.leaseIds).toEqual(['debt', 'cover'])
  expect(pool.leases).toEqual([])
})

test('while the owner of a lease is uncertain, nothing is returned, unless nothing is held: then all of it', () => {
  const pool = new LeasePool('k', 'a')
  const lease = { ...leaseState, terms: pool.terms }
  const unsure = { ...lease, id: 'unsure', grantedNano: 120n, usedNano: 0n }
  const held = { ...lease, id: 'held', grantedNano: 210n, usedNano: 0n, renewedMs: 10 }
  pool.leases = [unsure, held]
  held.holds = 1
  held.heldNano = 200n
  pool.heldNano = 200n
  expect(pool.freeNano(5)).toBe(10n)
  expect(takeBack(pool, 5)).toBeUndefined()
  expect(closeIdleLeases(pool, 5)).toBeUndefined()
  pool.release(held, 200n, 50n)
  expect(takeBack(pool, 5)?.locks?.leaseIds).toEqual(['unsure', 'held'])
})

test('a lease that the database no longer has returns nothing, and its holds are covered by the others', () => {
  const pool = new LeasePool('k', 'a')
  const lease = { ...leaseState, terms: pool.terms }
  const gone = { ...lease, id: 'gone', grantedNano: 120n, usedNano: 0n, isGone: true }
  const other = { ...lease, id: 'other', grantedNano: 100n, usedNano: 0n, renewedMs: 10 }
  pool.leases = [gone, other]
  gone.holds = 1
  gone.heldNano = 70n
  pool.heldNano = 70n
  expect(pool.freeNano(5)).toBe(30n)
  expect(takeBack(pool, 5)?.locks?.leaseIds).toEqual(['other'])
  expect(pool.freeNano(5)).toBe(0n)
  pool.release(gone, 70n, 70n)
  expect(takeBack(pool, 5)?.locks?.leaseIds).toEqual(['other'])
  expect(pool.leases).toEqual([])
})

test('a returned debt takes as much money of the other leases with it', () => {
  const pool = new LeasePool('k', 'a')
  const lease = { ...leaseState, terms: pool.terms }
  const debt = { ...lease, id: 'debt', grantedNano: 36n, usedNano: 44n }
  const spare = { ...lease, id: 'spare', grantedNano: 48n, usedNano: 0n }
  const held = { ...lease, id: 'held', grantedNano: 50n, usedNano: 0n, holds: 1, heldNano: 85n }
  pool.leases = [debt, spare, held]
  pool.heldNano = 85n
  expect(pool.freeNano()).toBe(5n)
  const unit = closeIdleLeases(pool, Number.NEGATIVE_INFINITY)
  expect(pool.leases.map(({ id }) => id)).not.toContain('debt')
  expect(pool.freeNano()).toBe(5n)
  expect(unit?.locks?.leaseIds).toEqual(['debt', 'spare'])
})
