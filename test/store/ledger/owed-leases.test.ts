import { afterEach, describe, expect, test } from 'bun:test'
import { systemClock } from '../../../src/core/time/clock.ts'
import { findImbalances } from '../../../src/ledger/audit/conservation.ts'
import { LeaseLedger } from '../../../src/ledger/leases/lease-ledger.ts'
import { type Engine, TransientStoreError } from '../../../src/store/engine.ts'
import { GroupCommit } from '../../../src/store/units/group-commit.ts'
import { eventually } from '../../support/eventually.ts'
import { sharedFixtures } from '../../support/store/engine-fixture.ts'
import { failureOf } from '../../support/store/failure-of.ts'
import {
  costing,
  endTest,
  holdRequest,
  openFunds,
  openReplica,
  readFunds,
} from './ledger-helpers.ts'

afterEach(endTest)

type Mood = 'well' | 'deaf' | 'mute'

/** A database that receives nothing (`deaf`), or executes calls whose answers are lost (`mute`). */
function moody(engine: Engine): { engine: Engine; mood: Mood } {
  const state: { engine: Engine; mood: Mood } = { engine, mood: 'well' }
  const runUnits: Engine['runUnits'] = async (units) => {
    if (state.mood === 'deaf') throw new TransientStoreError('no connection')
    const results = await engine.runUnits(units)
    if (state.mood === 'mute') throw new TransientStoreError('the connection was lost')
    return results
  }
  state.engine = { ...engine, runUnits }
  return state
}

for (const fixture of sharedFixtures('leases that could not be returned')) {
  const open = async () => {
    const engine = await fixture.openMigrated()
    await openFunds(engine, { creditNano: 8_000n, quotaNano: 8_000n })
    const { journal, owner, ledger: unused } = await openReplica(engine)
    const database = moody(engine)
    const errors: string[] = []
    const ledger = new LeaseLedger({
      engine: database.engine,
      commits: new GroupCommit(database.engine),
      owner,
      clock: systemClock,
      journal,
      recall: async () => undefined,
      onError: (what) => errors.push(what),
      onClose: () => void unused.close(),
    })
    const leases = async () => (await engine.db.selectFrom('lease').select('id').execute()).length
    return { engine, database, ledger, errors, leases }
  }

  describe(`leases that could not be returned on ${fixture.kind}`, () => {
    test.each(['deaf', 'mute'] as const)(
      'the database was %s when a lease was returned: the lease is returned later, without a restart',
      async (mood) => {
        const { engine, database, ledger, errors, leases } = await open()
        const verdict = await ledger.reserve(holdRequest(10n))
        if (verdict.ok) verdict.hold.settle(costing(4n), [])
        await ledger.shipped()
        database.mood = mood
        ledger.apply([{ seq: 1, topic: 'key', subject: 'k' }])
        await eventually('the return fails', () => errors.includes('lease_not_returned'))
        database.mood = 'well'
        await eventually('the lease is returned', async () => (await leases()) === 0)
        expect(await readFunds(engine)).toEqual({
          accountNano: 7_996n,
          keyNano: 7_996n,
          spentNano: 4n,
        })
        await ledger.close()
        expect(await findImbalances(engine)).toEqual([])
      },
    )

    test.each(['deaf', 'mute'] as const)(
      'the database was %s when a lease was returned: a request that needs its money is not rejected',
      async (mood) => {
        const { engine, database, ledger, errors } = await open()
        const verdict = await ledger.reserve(holdRequest(10n))
        if (!verdict.ok) throw new Error(verdict.refusal.reason)
        database.mood = mood
        ledger.apply([{ seq: 1, topic: 'recall', subject: 'a' }])
        await eventually('the return fails', () => errors.includes('lease_not_returned'))
        database.mood = 'well'
        expect(await verdict.hold.extend(7_000n)).toBe(true)
        const second = await ledger.reserve(holdRequest(990n))
        expect(second.ok).toBe(true)
        expect(await ledger.reserve(holdRequest(1n))).toMatchObject({ ok: false })
        verdict.hold.settle(costing(7_010n), [])
        if (second.ok) second.hold.settle(costing(990n), [])
        await ledger.close()
        expect(await readFunds(engine)).toMatchObject({ accountNano: 0n, spentNano: 8_000n })
        expect(await findImbalances(engine)).toEqual([])
      },
    )

    test('a grant whose response was lost serves the next request', async () => {
      const { engine, database, ledger } = await open()
      database.mood = 'mute'
      await failureOf(Promise.resolve(ledger.reserve(holdRequest(7_000n))))
      database.mood = 'well'
      const verdict = await ledger.reserve(holdRequest(8_000n))
      expect(verdict.ok).toBe(true)
      if (verdict.ok) verdict.hold.settle(costing(8_000n), [])
      await ledger.close()
      expect(await readFunds(engine)).toMatchObject({ accountNano: 0n, spentNano: 8_000n })
      expect(await findImbalances(engine)).toEqual([])
    })

    test('a grant whose response was lost is closed, and its money is returned', async () => {
      const { engine, database, ledger, leases } = await open()
      database.mood = 'mute'
      const failure = await failureOf(Promise.resolve(ledger.reserve(holdRequest(10n))))
      expect(failure).toBe('the connection was lost')
      expect(await leases()).toBe(1)
      database.mood = 'well'
      await ledger.close()
      expect(await leases()).toBe(0)
      expect(await readFunds(engine)).toMatchObject({ accountNano: 8_000n, keyNano: 8_000n })
    })
  })
}
