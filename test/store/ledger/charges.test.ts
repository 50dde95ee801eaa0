import { describe, expect, test } from 'bun:test'
import { settleRecord } from '../../../src/ledger/journal/settle-record.ts'
import type { Engine } from '../../../src/store/engine.ts'
import { sharedFixtures } from '../../support/store/engine-fixture.ts'
import { costing, openFunds, readFunds } from './ledger-helpers.ts'

const mostNano = BigInt(Number.MAX_SAFE_INTEGER)

async function openLease({ db }: Engine, id: string): Promise<void> {
  const lease = {
    id,
    replica: 'r',
    epoch: 1,
    account_id: 'a',
    key_id: 'k',
    granted_nano: 100n,
    used_nano: 0n,
    version: 1,
    created_at: 1,
    reclaim_at: 1,
  }
  await db.insertInto('lease').values(lease).execute()
}

async function used({ db }: Engine): Promise<Record<string, bigint>> {
  const rows = await db.selectFrom('lease').select(['id', 'used_nano']).execute()
  return Object.fromEntries(rows.map((row) => [row.id, row.used_nano]))
}

function settled(requestId: string, leaseId: string, costNano: bigint, keyId = 'k') {
  return settleRecord({ requestId, accountId: 'a', keyId, leaseId }, costing(costNano))
}

describe.each(sharedFixtures('charges'))('one batch for many leases on $kind', (fixture) => {
  test('each lease is charged its own amount, and a closed lease neither keeps nor gets money of another', async () => {
    const engine = await fixture.openMigrated()
    await openFunds(engine, { creditNano: 1_000n, quotaNano: 500n })
    for (const id of ['one', 'two', 'idle']) await openLease(engine, id)
    const batch = JSON.stringify([
      settled('r1', 'one', 5n),
      settled('r2', 'two', mostNano),
      settled('r3', 'closed', 11n),
      settled('r4', 'one', 1n),
      settled('r5', 'two', mostNano),
      settled('r6', 'closed before', 30n),
    ])
    await engine.applyRecords([batch])
    await engine.applyRecords([batch, batch])
    expect(await used(engine)).toEqual({ one: 6n, two: 2n * mostNano, idle: 0n })
    expect(await readFunds(engine)).toEqual({
      accountNano: 959n,
      keyNano: 459n,
      spentNano: 41n,
    })
  })

  test('a lease that appears in two sums is charged both', async () => {
    const engine = await fixture.openMigrated()
    await openFunds(engine, { creditNano: 1_000n })
    await openLease(engine, 'one')
    const batch = [settled('r1', 'one', 5n), settled('r2', 'one', 2n, 'another key')]
    await engine.applyRecords([JSON.stringify(batch)])
    expect(await used(engine)).toEqual({ one: 7n })
    expect(await readFunds(engine)).toMatchObject({ accountNano: 1_000n, spentNano: 0n })
  })
})
