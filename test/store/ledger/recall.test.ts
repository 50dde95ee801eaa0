import { afterEach, describe, expect, test } from 'bun:test'
import { findImbalances } from '../../../src/ledger/audit/conservation.ts'
import { settleShapes } from '../../../src/ledger/journal/settle-record.ts'
import { LeasePool } from '../../../src/ledger/leases/lease-pool.ts'
import { leaseTimes } from '../../../src/ledger/leases/lease-times.ts'
import { Recalls } from '../../../src/ledger/leases/recalls.ts'
import { takeEpoch } from '../../../src/ledger/replica.ts'
import type { Engine } from '../../../src/store/engine.ts'
import { eventually } from '../../support/eventually.ts'
import { sharedFixtures } from '../../support/store/engine-fixture.ts'
import { costing, endTest, holdOf, holdRequest, openFunds, openReplica } from './ledger-helpers.ts'

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

  test('is asked for once when several keys need it at the same time', async () => {
    const engine = await fixture.openMigrated()
    await openFunds(engine, { creditNano: 800n })
    const rich = await openReplica(engine, 'rich')
    const verdict = await rich.ledger.reserve(holdRequest(10n))
    const owner = await takeEpoch(engine, 'poor')
    const asked: string[] = []
    let nowMs = 1_000
    const clock = { nowMs: () => nowMs, monotonicMs: () => nowMs }
    const recall = async (accountId: string) => void asked.push(accountId)
    const recalls = new Recalls({ engine, owner, clock, recall })
    const none = { isAccountShort: false, isKeyShort: false, counterIds: new Set<string>() }
    const short = { ...none, isAccountShort: true, isPayable: true }
    const wait = (keyId: string, what = short): Promise<boolean> => {
      let looks = 0
      return recalls.wait(new LeasePool(keyId, 'a'), what, async () => {
        looks += 1
        return looks > 2
      })
    }
    expect(await Promise.all(['k1', 'k2', 'k3'].map((keyId) => wait(keyId)))).not.toContain(false)
    expect(asked).toEqual(['a'])
    nowMs += leaseTimes.recallAgainMs
    await wait('k1')
    expect(asked).toEqual(['a', 'a'])
    nowMs += leaseTimes.recallAgainMs
    // The other process has a lease of the key k only.
    await wait('k1', { ...none, isKeyShort: true, isPayable: true })
    await wait('k1', { ...none, counterIds: new Set(['member a u total']), isPayable: true })
    expect(asked).toEqual(['a', 'a'])
    await wait('k', { ...none, isKeyShort: true, isPayable: true })
    expect(asked).toEqual(['a', 'a', 'a'])
    holdOf(verdict).settle(costing(0n), [])
    await rich.ledger.close()
  })
})
