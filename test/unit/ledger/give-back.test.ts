import { expect, test } from 'bun:test'
import { takeBack } from '../../../src/ledger/give-back.ts'
import { LeasePool } from '../../../src/ledger/lease-pool.ts'

const lease = { version: 1, heldNano: 0n, holds: 0, unshipped: 0, renewedMs: 0 }

test('money that covers a debt of another lease does not go home before the debt does', () => {
  const pool = new LeasePool('k', 'a')
  const debt = { ...lease, id: 'debt', grantedNano: 10n, usedNano: 30n, unshipped: 1 }
  pool.leases = [debt, { ...lease, id: 'cover', grantedNano: 20n, usedNano: 0n }]
  expect(takeBack(pool)).toEqual([])
  debt.unshipped = 0
  expect(takeBack(pool)).toHaveLength(2)
  expect(pool.leases).toEqual([])
})
