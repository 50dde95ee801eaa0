import { afterEach, describe, expect, test } from 'bun:test'
import { findImbalances } from '../../../src/ledger/audit/conservation.ts'
import type { LeaseLedger } from '../../../src/ledger/leases/lease-ledger.ts'
import { type Engine, TransientStoreError } from '../../../src/store/engine.ts'
import { eventually } from '../../support/eventually.ts'
import { sharedFixtures } from '../../support/store/engine-fixture.ts'
import {
  costing,
  endTest,
  holdRequest,
  openFunds,
  openReplica,
  readFunds,
} from './ledger-helpers.ts'

afterEach(endTest)

/** A database that grants no leases while it is unavailable, and delays grants while its gate is closed. */
function troubled(engine: Engine) {
  const state = { isAway: false, grants: 0, running: 0, gate: Promise.resolve() }
  const runUnits: Engine['runUnits'] = async (units) => {
    const isGrant = units.some((unit) => unit.statements[0]?.sql.startsWith('INSERT INTO lease'))
    if (!isGrant) return engine.runUnits(units)
    state.running += 1
    try {
      if (state.isAway) throw new TransientStoreError('the database is away')
      const results = await engine.runUnits(units)
      state.grants += 1
      await state.gate
      return results
    } finally {
      state.running -= 1
    }
  }
  return { state, engine: { ...engine, runUnits } }
}

/** Sends one request after the other; returns how many were admitted at once from a lease. */
async function serve(
  ledger: LeaseLedger,
  count: number,
  isReady: () => boolean = () => true,
): Promise<number> {
  let atOnce = 0
  for (let number = 0; number < count; number += 1) {
    const verdict = ledger.reserve(holdRequest(10n))
    if (!(verdict instanceof Promise)) atOnce += 1
    const answer = await verdict
    if (!answer.ok) throw new Error(answer.refusal.reason)
    await answer.hold.admitted
    await answer.hold.settleSoon(costing(10n), [])
    await ledger.shipped()
    await eventually('nothing is on its way', isReady)
  }
  return atOnce
}

describe.each(sharedFixtures('refills'))('leases fetched ahead on $kind', (fixture) => {
  test('only the first request of a busy key waits for the database', async () => {
    const { engine, state } = troubled(await fixture.openMigrated())
    await openFunds(engine, { creditNano: 1_000_000n })
    const { ledger } = await openReplica(engine)
    expect(await serve(ledger, 200, () => state.running === 0)).toBe(199)
    await ledger.close()
    expect(await readFunds(engine)).toMatchObject({ accountNano: 998_000n, spentNano: 2_000n })
    expect(await findImbalances(engine)).toEqual([])
  })

  test('a busy key outlasts a database outage and recovers without a restart', async () => {
    const { engine, state } = troubled(await fixture.openMigrated())
    await openFunds(engine, { creditNano: 1_000_000n })
    const { ledger } = await openReplica(engine)
    await serve(ledger, 200, () => state.running === 0)
    state.isAway = true
    expect(await serve(ledger, 30)).toBe(30)
    state.isAway = false
    await serve(ledger, 500)
    await ledger.close()
    expect(await readFunds(engine)).toMatchObject({ accountNano: 992_700n, spentNano: 7_300n })
    expect(await findImbalances(engine)).toEqual([])
  })

  test('near the limit nothing is fetched ahead, and all the money can be spent', async () => {
    const { engine, state } = troubled(await fixture.openMigrated())
    await openFunds(engine, { creditNano: 300n })
    const { ledger } = await openReplica(engine)
    await serve(ledger, 3)
    await eventually('the lease is low, and the next one is requested', () => state.grants === 2)
    expect((await readFunds(engine)).accountNano).toBe(300n - 300n / 8n)
    await serve(ledger, 27)
    expect(await ledger.reserve(holdRequest(10n))).toMatchObject({ ok: false })
    await ledger.close()
    expect(await readFunds(engine)).toMatchObject({ accountNano: 0n, spentNano: 300n })
    expect(await findImbalances(engine)).toEqual([])
  })

  test('a lease that is recalled before it arrives is returned on arrival', async () => {
    const { engine, state } = troubled(await fixture.openMigrated())
    await openFunds(engine, { creditNano: 1_000_000n })
    const { ledger } = await openReplica(engine)
    // A key with a hold is not idle: its free money returns only because of the recall.
    const open = await ledger.reserve(holdRequest(10n))
    if (!open.ok) throw new Error(open.refusal.reason)
    const gate = Promise.withResolvers<void>()
    state.gate = gate.promise
    await serve(ledger, 6)
    await eventually('the next lease is on its way', () => state.grants === 2)
    ledger.apply([{ seq: 1, topic: 'recall', subject: 'a' }])
    gate.resolve()
    await eventually('all money that is neither held nor spent is returned', async () => {
      const { accountNano } = await readFunds(engine)
      return accountNano === 999_930n
    })
    open.hold.settle(costing(10n), [])
    await ledger.close()
    expect(await readFunds(engine)).toMatchObject({ accountNano: 999_930n, spentNano: 70n })
    expect(await findImbalances(engine)).toEqual([])
  })
})
