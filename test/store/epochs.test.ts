import { afterEach, describe, expect, test } from 'bun:test'
import { findImbalances } from '../../src/ledger/conservation.ts'
import { grantUnit, reclaimUnit, renewUnit } from '../../src/ledger/lease-units.ts'
import { endEpoch, showLife, takeEpoch } from '../../src/ledger/replica.ts'
import { engineStages } from './engine-stage.ts'
import { endTest, openPurse, readPurse } from './ledger-stage.ts'

afterEach(endTest)

const lease = { leaseId: 'l', accountId: 'a', keyId: 'k' }

describe.each(engineStages('epochs'))('epochs and the times of leases on $kind', (stage) => {
  test('the late word of an earlier life does not end the next', async () => {
    const engine = await stage.openMigrated()
    const old = await takeEpoch(engine, 'r')
    const next = await takeEpoch(engine, 'r')
    expect(await endEpoch(engine, old)).toBe(false)
    expect(await showLife(engine, next)).toBe(true)
    expect(await endEpoch(engine, next)).toBe(true)
    expect(await showLife(engine, next)).toBe(false)
  })

  test('epochs that are taken at once are all different', async () => {
    const engine = await stage.openMigrated()
    const owners = await Promise.all(Array.from({ length: 5 }, () => takeEpoch(engine, 'r')))
    expect(new Set(owners.map(({ epoch }) => epoch)).size).toBe(5)
  })

  test('a lease that was renewed since somebody looked is not reclaimed', async () => {
    const engine = await stage.openMigrated()
    await openPurse(engine, { creditNano: 1_000n })
    const owner = await takeEpoch(engine, 'r')
    const isOver = { ...lease, leastNano: 50n, wantedNano: 50n, reclaimInMs: -1_000 }
    await engine.runUnits([grantUnit(isOver, owner, engine.clockSql)])
    await engine.runUnits([renewUnit('l', owner, 60_000, engine.clockSql)])
    await engine.runUnits([reclaimUnit(lease, engine.clockSql)])
    expect({
      leases: (await engine.db.selectFrom('lease').select('id').execute()).length,
      ...(await readPurse(engine)),
    }).toMatchObject({
      leases: 1,
      accountNano: 950n,
    })
    expect(await findImbalances(engine)).toEqual([])
  })
})
