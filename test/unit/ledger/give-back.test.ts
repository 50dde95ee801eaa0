import { expect, test } from 'bun:test'
import { takeBack } from '../../../src/ledger/give-back.ts'
import { LeasePool } from '../../../src/ledger/lease-pool.ts'

const lease = { version: 1, heldNano: 0n, holds: 0, unshipped: 0, renewedMs: 0 }

test('money that covers a debt of another lease does not go home before the debt does', () => {
  const pool = new LeasePool('k', 'a')
  const debt = { ...lease, id: 'debt', grantedNano: 10n, usedNano: 30n, unshipped: 1 }
  pool.leases = [debt, { ...lease, id: 'cover', grantedNano: 20n, usedNano: 0n }]
  expect(takeBack(pool, Number.NEGATIVE_INFINITY)).toEqual([])
  debt.unshipped = 0
  expect(takeBack(pool, Number.NEGATIVE_INFINITY)).toHaveLength(2)
  expect(pool.leases).toEqual([])
})

test('a lease that may be another’s by now covers nothing: what is held stays covered by the others', () => {
  const pool = new LeasePool('k', 'a')
  const stale = { ...lease, id: 'stale', grantedNano: 120n, usedNano: 0n }
  const held = { ...lease, id: 'held', grantedNano: 90n, usedNano: 0n, renewedMs: 10 }
  const cover = { ...lease, id: 'cover', grantedNano: 120n, usedNano: 0n, renewedMs: 10 }
  pool.leases = [stale, held, cover]
  held.holds = 1
  held.heldNano = 210n
  pool.heldNano = 210n
  takeBack(pool, 5)
  expect(pool.leases.map(({ id }) => id)).toEqual(['held', 'cover'])
  expect(pool.freeNano(5)).toBe(0n)
})
