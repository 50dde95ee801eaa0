import { afterEach, describe, expect, test } from 'bun:test'
import { findImbalances } from '../../../src/ledger/audit/conservation.ts'
import { settleRecord } from '../../../src/ledger/journal/settle-record.ts'
import { closeLeasesOf } from '../../../src/ledger/leases/close-leases.ts'
import {
  closeUnit,
  grantUnit,
  reclaimUnit,
  renewUnit,
  shrinkUnit,
} from '../../../src/ledger/leases/lease-units.ts'
import { endEpoch, recordHeartbeat, takeEpoch } from '../../../src/ledger/replica.ts'
import type { Engine } from '../../../src/store/engine.ts'
import { engineFixtures } from '../../support/store/engine-fixture.ts'
import { costing, endTest, openFunds, readFunds } from './ledger-helpers.ts'

afterEach(endTest)

const lease = { leaseId: 'l', accountId: 'a', keyId: 'k' }

describe.each(engineFixtures('epochs'))('epochs and expiry of leases on $kind', (fixture) => {
  test('a late message of an earlier life does not end the next life', async () => {
    const engine = await fixture.openMigrated()
    const old = await takeEpoch(engine, 'r')
    const next = await takeEpoch(engine, 'r')
    expect(await endEpoch(engine, old)).toBe(false)
    expect(await recordHeartbeat(engine, next)).toBe(true)
    expect(await endEpoch(engine, next)).toBe(true)
    expect(await recordHeartbeat(engine, next)).toBe(false)
  })

  test('concurrent starts get different epochs', async () => {
    const engine = await fixture.openMigrated()
    const owners = await Promise.all(Array.from({ length: 5 }, () => takeEpoch(engine, 'r')))
    expect(new Set(owners.map(({ epoch }) => epoch)).size).toBe(5)
  })

  test('a lease renewed after the check is not reclaimed', async () => {
    const engine = await fixture.openMigrated()
    await openFunds(engine, { creditNano: 1_000n })
    const owner = await takeEpoch(engine, 'r')
    const isOver = { ...lease, leastNano: 50n, wantedNano: 50n, reclaimInMs: -1_000 }
    await engine.runUnits([grantUnit(isOver, owner, engine.clockSql)])
    await engine.runUnits([renewUnit('l', owner, 60_000, engine.clockSql)])
    await engine.runUnits([reclaimUnit(lease, engine.clockSql)])
    expect({
      leases: (await engine.db.selectFrom('lease').select('id').execute()).length,
      ...(await readFunds(engine)),
    }).toMatchObject({
      leases: 1,
      accountNano: 950n,
    })
    expect(await findImbalances(engine)).toEqual([])
  })

  test('a lease granted again, late and smaller, returns no more than it has', async () => {
    const engine = await fixture.openMigrated()
    await openFunds(engine, { creditNano: 1_000n })
    const owner = await takeEpoch(engine, 'r')
    const grantOf = (nano: bigint) =>
      grantUnit(
        { ...lease, leastNano: nano, wantedNano: nano, reclaimInMs: 60_000 },
        owner,
        engine.clockSql,
      )
    await engine.runUnits([grantOf(50n), closeUnit(lease), grantOf(20n)])
    await engine.runUnits([shrinkUnit(lease, { fromNano: 50n, toNano: 10n, version: 1 })])
    expect(await findImbalances(engine)).toEqual([])
    expect(await readFunds(engine)).toMatchObject({ accountNano: 980n })
  })

  test('the debt of a dead process for a key is returned together with the money that covers it', async () => {
    const engine = await fixture.openMigrated()
    await openFunds(engine, { creditNano: 100n })
    const owner = await takeEpoch(engine, 'r')
    for (const leaseId of ['a rich one', 'b indebted']) {
      const request = { ...lease, leaseId, leastNano: 50n, wantedNano: 50n, reclaimInMs: 60_000 }
      await engine.runUnits([grantUnit(request, owner, engine.clockSql)])
    }
    const request = { ...lease, leaseId: 'b indebted', requestId: 'q' }
    await engine.applyRecords([JSON.stringify([settleRecord(request, costing(80n))])])
    const seenNano: bigint[] = []
    const watched: Engine = {
      ...engine,
      runUnits: async (units) => {
        const results = await engine.runUnits(units)
        seenNano.push((await readFunds(engine)).accountNano)
        return results
      },
    }
    expect(await closeLeasesOf(watched, owner)).toBe(2)
    expect(seenNano).toEqual([20n])
  })
})
