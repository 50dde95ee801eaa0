import { afterEach, describe, expect, test } from 'bun:test'
import { appendFileSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { findImbalances } from '../../../src/ledger/audit/conservation.ts'
import { recoverDead } from '../../../src/ledger/journal/recover.ts'
import { settleRecord, settleShapes } from '../../../src/ledger/journal/settle-record.ts'
import { reclaimLeases } from '../../../src/ledger/leases/close-leases.ts'
import {
  closeUnit,
  grantedBy,
  grantUnit,
  renewUnit,
  shrinkUnit,
} from '../../../src/ledger/leases/lease-units.ts'
import type { Hold, HoldRequest } from '../../../src/ledger/ledger.ts'
import { recordHeartbeat, takeEpoch } from '../../../src/ledger/replica.ts'
import type { Engine } from '../../../src/store/engine.ts'
import { patience } from '../../support/patience.ts'
import { repeats } from '../../support/repeats.ts'
import { engineFixtures } from '../../support/store/engine-fixture.ts'
import {
  clearLedger,
  costing,
  endTest,
  holdOf,
  holdRequest,
  openFunds,
  openReplica,
  type Replica,
  readFunds,
} from './ledger-helpers.ts'

afterEach(endTest)

const lease = { leaseId: 'l', accountId: 'a', keyId: 'k' }
const grantOf = (leastNano: bigint, wantedNano = leastNano) => ({
  ...lease,
  leastNano,
  wantedNano,
  reclaimInMs: 60_000,
})

async function admit({ ledger }: Replica, request: HoldRequest): Promise<Hold> {
  const hold = holdOf(await ledger.reserve(request))
  await hold.admitted
  return hold
}

async function leasesIn(engine: Engine): Promise<number> {
  return (await engine.db.selectFrom('lease').select('id').execute()).length
}

for (const fixture of engineFixtures('ledger')) {
  describe(`ledger units on ${fixture.kind}`, () => {
    const grants = [
      {
        name: 'far from the limit: the wanted amount',
        credit: 8_000n,
        least: 10n,
        wanted: 800n,
        granted: 800n,
      },
      {
        name: 'closer to the limit: an eighth of the rest',
        credit: 800n,
        least: 10n,
        wanted: 800n,
        granted: 100n,
      },
      {
        name: 'near the limit: exactly the needed amount',
        credit: 79n,
        least: 10n,
        wanted: 800n,
        granted: 10n,
      },
      {
        name: 'at the limit: the last of the money',
        credit: 10n,
        least: 10n,
        wanted: 800n,
        granted: 10n,
      },
      {
        name: 'beyond the limit: nothing',
        credit: 9n,
        least: 10n,
        wanted: 800n,
        granted: undefined,
      },
      {
        name: 'the quota is reached first',
        credit: 8_000n,
        quota: 80n,
        least: 10n,
        wanted: 800n,
        granted: 10n,
      },
      {
        name: 'the quota is short',
        credit: 8_000n,
        quota: 9n,
        least: 10n,
        wanted: 800n,
        granted: undefined,
      },
    ]
    test.each(grants)('grant, $name', async ({ credit, quota, least, wanted, granted }) => {
      const engine = await fixture.openMigrated()
      await openFunds(engine, {
        creditNano: credit,
        ...(quota === undefined ? {} : { quotaNano: quota }),
      })
      const owner = await takeEpoch(engine, 'r')
      const [result] = await engine.runUnits([
        grantUnit(grantOf(least, wanted), owner, engine.clockSql),
      ])
      expect(grantedBy(result ?? [])).toBe(granted)
      const funds = await readFunds(engine)
      expect(funds.accountNano).toBe(credit - (granted ?? 0n))
      if (quota !== undefined) expect(funds.keyNano).toBe(quota - (granted ?? 0n))
      expect(await findImbalances(engine)).toEqual([])
    })

    test('a repeated grant, shrink, settlement and close take effect once', async () => {
      const engine = await fixture.openMigrated()
      await openFunds(engine, { creditNano: 1_000n, quotaNano: 500n })
      const owner = await takeEpoch(engine, 'r')
      const settled = JSON.stringify([settleRecord({ ...lease, requestId: 'q' }, costing(7n))])
      for (let time = 0; time < 2; time += 1) {
        const [result] = await engine.runUnits([grantUnit(grantOf(50n), owner, engine.clockSql)])
        expect(grantedBy(result ?? [])).toBe(50n)
        expect(await findImbalances(engine)).toEqual([])
      }
      for (let time = 0; time < 2; time += 1) {
        await engine.runUnits([shrinkUnit(lease, { fromNano: 50n, toNano: 30n, version: 1 })])
        await engine.applyRecords([settled])
        expect(await findImbalances(engine)).toEqual([])
      }
      for (let time = 0; time < 2; time += 1) await engine.runUnits([closeUnit(lease)])
      expect(await readFunds(engine)).toEqual({ accountNano: 993n, keyNano: 493n, spentNano: 7n })
      expect(await findImbalances(engine)).toEqual([])
    })

    test('a settlement after its lease is closed is charged once, to key and account', async () => {
      const engine = await fixture.openMigrated()
      await openFunds(engine, { creditNano: 1_000n, quotaNano: 500n })
      const owner = await takeEpoch(engine, 'r')
      await engine.runUnits([grantUnit(grantOf(50n), owner, engine.clockSql), closeUnit(lease)])
      const settled = JSON.stringify([settleRecord({ ...lease, requestId: 'q' }, costing(7n))])
      await engine.applyRecords([settled, settled])
      expect(await readFunds(engine)).toEqual({ accountNano: 993n, keyNano: 493n, spentNano: 7n })
      expect(await findImbalances(engine)).toEqual([])
    })

    test('a replica with an old epoch gets no lease', async () => {
      const engine = await fixture.openMigrated()
      await openFunds(engine, { creditNano: 1_000n })
      const old = await takeEpoch(engine, 'r')
      const next = await takeEpoch(engine, 'r')
      expect([old.epoch, next.epoch]).toEqual([1, 2])
      const [refused] = await engine.runUnits([grantUnit(grantOf(5n), old, engine.clockSql)])
      const [granted] = await engine.runUnits([grantUnit(grantOf(5n), next, engine.clockSql)])
      expect([grantedBy(refused ?? []), grantedBy(granted ?? [])]).toEqual([undefined, 5n])
    })
  })

  describe(`leases on ${fixture.kind}`, () => {
    test('holds are taken from the lease and settled, and a close returns the rest', async () => {
      const engine = await fixture.openMigrated()
      await openFunds(engine, { creditNano: 1_000_000n })
      const replica = await openReplica(engine)
      const first = await admit(replica, holdRequest(100n))
      const verdict = replica.ledger.reserve(holdRequest(100n))
      expect(verdict).not.toBeInstanceOf(Promise)
      const second = await admit(replica, holdRequest(100n))
      expect(replica.ledger.openHolds).toBe(3)
      first.settle(costing(40n), [])
      second.settle(costing(150n), [])
      expect(() => first.settle(costing(1n), [])).toThrow('settled already')
      const third = await verdict
      if (third.ok) third.hold.settle(costing(0n), [])
      await replica.ledger.close()
      expect(await leasesIn(engine)).toBe(0)
      // The cost of the second request above its hold is recorded as uncovered.
      expect(await readFunds(engine)).toMatchObject({ accountNano: 999_860n, spentNano: 140n })
      expect(await engine.db.selectFrom('uncovered').selectAll().execute()).toEqual([
        { request_id: expect.any(String), uncovered_nano: 50n },
      ])
      expect(await findImbalances(engine)).toEqual([])
      expect(readdirSync(replica.folder)).toEqual([])
    })

    test('money for exactly four holds admits exactly four, and the fifth gets the reason to wait', async () => {
      const engine = await fixture.openMigrated()
      await openFunds(engine, { creditNano: 40n })
      const replica = await openReplica(engine)
      const verdicts = await Promise.all(
        Array.from({ length: 9 }, async () => replica.ledger.reserve(holdRequest(10n))),
      )
      expect(verdicts.filter((verdict) => verdict.ok)).toHaveLength(4)
      expect(
        verdicts
          .filter((verdict) => !verdict.ok)
          .map((verdict) => !verdict.ok && verdict.refusal.reason),
      ).toEqual(Array(5).fill('quota_in_flight'))
      for (const verdict of verdicts) if (verdict.ok) verdict.hold.settle(costing(10n), [])
      await replica.ledger.shipped()
      expect(await replica.ledger.reserve(holdRequest(10n))).toEqual({
        ok: false,
        refusal: { reason: 'insufficient_credit', affordableNano: 0n },
      })
      await replica.ledger.close()
      expect(await findImbalances(engine)).toEqual([])
    })

    test('money idle in another process is recalled', async () => {
      const [engine, other] = await fixture.openTwo()
      await openFunds(engine, { creditNano: 800n })
      await other.defineShapes(settleShapes)
      const rich = await openReplica(engine, 'rich')
      const poor = await openReplica(other, 'poor')
      const hold = await admit(rich, holdRequest(10n))
      hold.settle(costing(1n), [])
      await rich.ledger.shipped()
      const asked = poor.ledger.reserve(holdRequest(790n))
      const recalls = setInterval(
        () => rich.ledger.apply([{ seq: 1, topic: 'recall', subject: 'a' }]),
        20,
      )
      const verdict = await asked
      clearInterval(recalls)
      expect(verdict.ok).toBe(true)
      if (verdict.ok) verdict.hold.settle(costing(0n), [])
      await Promise.all([rich.ledger.close(), poor.ledger.shipped()])
    })

    test('a process that dies leaves one entry for each admitted request, and no lease', async () => {
      const engine = await fixture.openMigrated()
      await openFunds(engine, { creditNano: 1_000n })
      const dead = await openReplica(engine)
      const settled = await admit(dead, holdRequest(10n, 'settled'))
      await admit(dead, holdRequest(10n, 'open'))
      settled.settle(costing(4n), [])
      // Nothing is shipped or closed: the dead process has left its journal and its lease.
      const torn = readdirSync(dead.folder).find((name) => name.endsWith('.log')) ?? ''
      appendFileSync(join(dead.folder, torn), 'S[["settle-1","torn"')
      dead.die()
      const rows: string[] = []
      const recovery = await recoverDead(engine, { folder: dead.folder }, ({ record }) => {
        rows.push(record.requestId)
        return []
      })
      expect(recovery).toMatchObject({ requests: 1, leases: 1, charged: 1, damagedLines: 1 })
      expect(rows).toEqual(['open'])
      const entries = await engine.db
        .selectFrom('entry')
        .selectAll()
        .orderBy('request_id')
        .execute()
      expect(entries.map((entry) => [entry.request_id, entry.cost_nano, entry.flags])).toEqual([
        ['open', 1n, 'interrupted'],
        ['settled', 4n, ''],
      ])
      expect(await readFunds(engine)).toMatchObject({ accountNano: 995n, spentNano: 5n })
      expect(await recoverDead(engine, { folder: dead.folder }, () => [])).toMatchObject({
        requests: 0,
        leases: 0,
      })
      // A journal with an unreadable line is kept as a whole.
      expect(readdirSync(dead.folder)).toEqual([`damaged-${torn}`])
      expect(await findImbalances(engine)).toEqual([])
    })

    test('a process with another name is recovered when it is dead, not when it is only silent', async () => {
      const engine = await fixture.openMigrated()
      await openFunds(engine, { creditNano: 1_000n })
      const dead = await openReplica(engine, 'of another name')
      const hold = await admit(dead, holdRequest(10n))
      hold.settle(costing(4n), [])
      await engine.db.updateTable('replica').set({ seen_at: 1 }).execute()
      expect(await recoverDead(engine, { folder: dead.folder }, () => [])).toMatchObject({
        requests: 0,
        leases: 0,
      })
      expect(await recordHeartbeat(engine, dead.owner)).toBe(true)
      dead.die()
      expect(await recoverDead(engine, { folder: dead.folder }, () => [])).toMatchObject({
        requests: 0,
        leases: 1,
      })
      expect(await readFunds(engine)).toMatchObject({ accountNano: 996n, spentNano: 4n })
      expect(await dead.ledger.reserve(holdRequest(100n))).toMatchObject({ ok: false })
    })

    test('a process that lost its identity admits nothing, and its running requests are settled once', async () => {
      const engine = await fixture.openMigrated()
      await openFunds(engine, { creditNano: 1_000n })
      const old = await openReplica(engine)
      const hold = await admit(old, holdRequest(10n))
      const next = await openReplica(engine, 'r', old.folder)
      // The older process is alive, so its journal and its leases stay its own until it ends.
      const untouched = { requests: 0, leases: 0 }
      expect(await recoverDead(engine, { folder: old.folder }, () => [])).toMatchObject(untouched)
      expect(await recordHeartbeat(engine, old.owner)).toBe(false)
      expect(await recordHeartbeat(engine, next.owner)).toBe(true)
      old.ledger.fence('its identity is gone')
      expect(() => old.ledger.reserve(holdRequest(10n))).toThrow('identity')
      hold.settle(costing(3n), [])
      await old.ledger.close()
      await next.ledger.close()
      expect(await readFunds(engine)).toMatchObject({ accountNano: 997n, spentNano: 3n })
      expect(await findImbalances(engine)).toEqual([])
    })

    test('any process can reclaim an expired lease', async () => {
      const engine = await fixture.openMigrated()
      await openFunds(engine, { creditNano: 1_000n })
      const owner = await takeEpoch(engine, 'gone')
      await engine.runUnits([grantUnit(grantOf(50n), owner, engine.clockSql)])
      expect(await reclaimLeases(engine)).toBe(0)
      await engine.runUnits([renewUnit('l', owner, -1_000, engine.clockSql)])
      expect(await reclaimLeases(engine)).toBe(1)
      expect(await readFunds(engine)).toMatchObject({ accountNano: 1_000n })
    })

    test(
      'after any sequence of holds, settlements, recalls and crashes every charge is accounted for',
      async () => {
        const step = fc.oneof(
          {
            weight: 5,
            arbitrary: fc.record({ do: fc.constant('hold' as const), nano: fc.bigInt(1n, 60n) }),
          },
          {
            weight: 5,
            arbitrary: fc.record({ do: fc.constant('settle' as const), nano: fc.bigInt(0n, 60n) }),
          },
          { weight: 1, arbitrary: fc.record({ do: fc.constant('recall' as const) }) },
          { weight: 1, arbitrary: fc.record({ do: fc.constant('ship' as const) }) },
          { weight: 1, arbitrary: fc.record({ do: fc.constant('crash' as const) }) },
        )
        const engine = await fixture.openMigrated()
        await fc.assert(
          fc.asyncProperty(fc.array(step, { maxLength: 40 }), async (steps) => {
            await clearLedger(engine)
            await openFunds(engine, { creditNano: 400n, quotaNano: 300n })
            let replica = await openReplica(engine)
            const dead: Replica[] = []
            let open: { hold: Hold; nano: bigint }[] = []
            let expected = 0n
            for (const each of steps) {
              if (each.do === 'hold') {
                const verdict = await replica.ledger.reserve(holdRequest(each.nano))
                if (verdict.ok) {
                  await verdict.hold.admitted
                  open.push({ hold: verdict.hold, nano: each.nano })
                }
              } else if (each.do === 'settle') {
                const next = open.shift()
                const cost = next && each.nano < next.nano ? each.nano : (next?.nano ?? 0n)
                next?.hold.settle(costing(cost), [])
                expected += cost
              } else if (each.do === 'recall') {
                replica.ledger.apply([{ seq: 1, topic: 'recall', subject: 'a' }])
              } else if (each.do === 'ship') {
                await replica.ledger.shipped()
              } else {
                // The old process is not stopped, but its calls no longer have an effect, as after a kill.
                expected += BigInt(open.length)
                open = []
                const { folder } = replica
                replica.die()
                dead.push(replica)
                replica = await openReplica(engine, 'r', folder)
                await recoverDead(engine, { folder }, () => [])
              }
              expect(await findImbalances(engine)).toEqual([])
            }
            for (const { hold } of open) hold.settle(costing(0n), [])
            await replica.ledger.close()
            // Late calls of a process that only slept change nothing.
            for (const each of dead) await each.ledger.shipped()
            expect(await leasesIn(engine)).toBe(0)
            const funds = await readFunds(engine)
            expect(funds).toEqual({
              accountNano: 400n - expected,
              keyNano: 300n - expected,
              spentNano: expected,
            })
          }),
          { numRuns: repeats(fixture.kind === 'sqlite' ? 150 : 25) },
        )
      },
      patience(60_000),
    )
  })
}
