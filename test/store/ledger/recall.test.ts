import { afterEach, describe, expect, test } from 'bun:test'
import { findImbalances } from '../../../src/ledger/audit/conservation.ts'
import { settleShapes } from '../../../src/ledger/journal/settle-record.ts'
import type { Engine } from '../../../src/store/engine.ts'
import { eventually } from '../../support/eventually.ts'
import { sharedFixtures } from '../../support/store/engine-fixture.ts'
import { costing, endTest, holdRequest, openFunds, openReplica } from './ledger-helpers.ts'

afterEach(endTest)

/** Runs `act` once, right after the first answer of the database about a lease. */
function afterFirstAnswer(engine: Engine, act: () => Promise<unknown>): Engine {
  let isDone = false
  return {
    ...engine,
    runUnits: async (units) => {
      const results = await engine.runUnits(units)
      if (!isDone) {
        isDone = true
        await act()
      }
      return results
    },
  }
}

describe.each(sharedFixtures('recall'))('money of other replicas on $kind', (fixture) => {
  test('is found if it is returned between the rejection and the search for leases', async () => {
    const [engine, other] = await fixture.openTwo()
    await openFunds(engine, { creditNano: 800n })
    await other.defineShapes(settleShapes)
    const rich = await openReplica(engine, 'rich')
    const verdict = await rich.ledger.reserve(holdRequest(10n))
    if (!verdict.ok) throw new Error(verdict.refusal.reason)
    verdict.hold.settle(costing(1n), [])
    await rich.ledger.shipped()
    const giveBack = (): Promise<boolean> => {
      rich.ledger.apply([{ seq: 1, topic: 'recall', subject: 'a' }])
      return eventually('the lease is returned', async () => {
        const leases = await engine.db.selectFrom('lease').select('id').execute()
        return leases.length === 0
      })
    }
    const poor = await openReplica(afterFirstAnswer(other, giveBack), 'poor')
    const asked = await poor.ledger.reserve(holdRequest(790n))
    expect(asked.ok).toBe(true)
    if (asked.ok) asked.hold.settle(costing(0n), [])
    await Promise.all([rich.ledger.close(), poor.ledger.close()])
    expect(await findImbalances(engine)).toEqual([])
  })
})
