import { afterEach, describe, expect, test } from 'bun:test'
import { findImbalances } from '../../../src/ledger/audit/conservation.ts'
import { settleShapes } from '../../../src/ledger/journal/settle-record.ts'
import type { Hold } from '../../../src/ledger/ledger.ts'
import type { Engine } from '../../../src/store/engine.ts'
import { sharedFixtures } from '../../support/store/engine-fixture.ts'
import { failureOf } from '../../support/store/failure-of.ts'
import {
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

const name = { accountId: 'a', keyId: 'k' }

async function hold({ ledger }: Replica, amountNano: bigint): Promise<Hold> {
  return holdOf(await ledger.reserve(holdRequest(amountNano)))
}

const leasesOf = (engine: Engine) => engine.db.selectFrom('lease').selectAll().execute()

describe.each(sharedFixtures('forecastHold'))(
  'the money available to a hold, on $kind',
  (fixture) => {
    test('is the balance of account and key, and reading it takes nothing', async () => {
      const engine = await fixture.openMigrated()
      await openFunds(engine, { creditNano: 1_000n, quotaNano: 300n })
      const replica = await openReplica(engine)
      const before = await readFunds(engine)
      const seen = await replica.ledger.forecastHold(name)
      expect(seen).toMatchObject({ accountNano: 1_000n, keyNano: 300n })
      expect(seen.refusalOf(300n)).toBeUndefined()
      expect(seen.refusalOf(301n)).toEqual({ reason: 'key_quota_exhausted', affordableNano: 300n })
      expect(await leasesOf(engine)).toEqual([])
      expect(await readFunds(engine)).toEqual(before)
      expect(replica.ledger.openHolds).toBe(0)
      await replica.ledger.close()
    })

    test('is reduced by holds and costs, shipped or not', async () => {
      const engine = await fixture.openMigrated()
      await openFunds(engine, { creditNano: 1_000n })
      const replica = await openReplica(engine)
      const held = await hold(replica, 400n)
      const paid = await hold(replica, 100n)
      paid.settle(costing(60n), [])
      const seen = await replica.ledger.forecastHold(name)
      expect(seen).toMatchObject({ accountNano: 540n, keyNano: undefined })
      expect(seen.refusalOf(540n)).toBeUndefined()
      expect(seen.refusalOf(541n)).toEqual({ reason: 'quota_in_flight', affordableNano: 540n })
      expect(seen.refusalOf(941n)).toEqual({ reason: 'insufficient_credit', affordableNano: 540n })
      await replica.ledger.shipped()
      expect((await replica.ledger.forecastHold(name)).accountNano).toBe(540n)
      held.settle(costing(0n), [])
      await replica.ledger.close()
      expect(await findImbalances(engine)).toEqual([])
    })

    test('includes money that other processes have leased and that can be recalled', async () => {
      const [engine, other] = await fixture.openTwo()
      await openFunds(engine, { creditNano: 1_000n, quotaNano: 800n })
      await other.defineShapes(settleShapes)
      const rich = await openReplica(engine, 'rich')
      const idle = await hold(rich, 90n)
      idle.settle(costing(0n), [])
      await rich.ledger.shipped()
      expect(await leasesOf(engine)).not.toHaveLength(0)
      const poor = await openReplica(other, 'poor')
      expect(await poor.ledger.forecastHold(name)).toMatchObject({
        accountNano: 1_000n,
        keyNano: 800n,
      })
      await Promise.all([rich.ledger.close(), poor.ledger.close()])
    })

    test('is unknown if the database does not answer', async () => {
      const engine = await fixture.openMigrated()
      await openFunds(engine, { creditNano: 1_000n })
      const replica = await openReplica(engine)
      const nobody = await replica.ledger.forecastHold({ accountId: 'x', keyId: 'x' })
      expect(nobody.refusalOf(1n)).toEqual({ reason: 'insufficient_credit', affordableNano: 0n })
      await engine.db
        .insertInto('audit_stop')
        .values({ account_id: 'a', found_at: 1, findings: 'x', released_at: null })
        .execute()
      expect(await failureOf(replica.ledger.forecastHold(name))).toContain('does not balance')
      await replica.ledger.close()
      await engine.db.deleteFrom('audit_stop').execute()
    })
  },
)
