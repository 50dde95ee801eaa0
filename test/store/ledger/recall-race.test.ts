import { afterEach, describe, expect, test } from 'bun:test'
import { findImbalances } from '../../../src/ledger/audit/conservation.ts'
import { settleShapes } from '../../../src/ledger/journal/settle-record.ts'
import type { Hold } from '../../../src/ledger/ledger.ts'
import type { Engine } from '../../../src/store/engine.ts'
import { nextTurn } from '../../support/next-turn.ts'
import { sharedFixtures } from '../../support/store/engine-fixture.ts'
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

/** A database whose next batch of units waits for the test. */
function gated(engine: Engine) {
  let gate: PromiseWithResolvers<void> | undefined
  let arrived: PromiseWithResolvers<void> | undefined
  const runUnits: Engine['runUnits'] = async (units) => {
    const waiting = gate
    gate = undefined
    arrived?.resolve()
    await waiting?.promise
    return engine.runUnits(units)
  }
  return {
    engine: { ...engine, runUnits },
    /** The next batch waits; `arrived` resolves when the batch has arrived. */
    close() {
      const closed = Promise.withResolvers<void>()
      gate = closed
      arrived = Promise.withResolvers<void>()
      return { arrived: arrived.promise, open: () => closed.resolve() }
    },
  }
}

const recall = { seq: 1, topic: 'recall', subject: 'a' } as const

async function admit({ ledger }: Replica, amountNano: bigint): Promise<Hold> {
  return holdOf(await ledger.reserve(holdRequest(amountNano)))
}

/**
 * The money of a request is recalled, and recalled again while its return is on its way; meanwhile another request
 * needs some of it. The return and the grant are in one batch, behind a running batch.
 */
async function duringRecalls<Result>(
  replica: Replica,
  database: ReturnType<typeof gated>,
  ask: () => Result | Promise<Result>,
): Promise<Result> {
  const gate = database.close()
  const other = Promise.resolve(replica.ledger.reserve({ ...holdRequest(1n), keyId: 'nobody' }))
  await gate.arrived
  replica.ledger.apply([recall])
  replica.ledger.apply([recall])
  const asked = ask()
  // The other request first looks in memory, which takes some microtasks.
  await nextTurn()
  gate.open()
  await other
  return asked
}

describe.each(sharedFixtures('recall race'))('recalled money, on $kind', (fixture) => {
  const open = async (creditNano: bigint, quotaNano?: bigint) => {
    const engine = await fixture.openMigrated()
    await openFunds(engine, { creditNano, ...(quotaNano === undefined ? {} : { quotaNano }) })
    const database = gated(engine)
    return { engine, database, replica: await openReplica(database.engine) }
  }

  test('a running request that needs more gets the available money', async () => {
    const { engine, database, replica } = await open(800n)
    const hold = await admit(replica, 10n)
    expect(await duringRecalls(replica, database, () => hold.extend(90n))).toBe(true)
    expect(hold.grantedNano).toBe(100n)
    hold.settle(costing(100n), [])
    await replica.ledger.close()
    expect(await readFunds(engine)).toMatchObject({ accountNano: 700n, spentNano: 100n })
    expect(await findImbalances(engine)).toEqual([])
  })

  test('a running request that needs all available money gets it, and no more', async () => {
    const { engine, database, replica } = await open(800n, 500n)
    const hold = await admit(replica, 10n)
    expect(await duringRecalls(replica, database, () => hold.extend(490n))).toBe(true)
    expect(await duringRecalls(replica, database, () => hold.extend(1n))).toBe(false)
    hold.settle(costing(500n), [])
    await replica.ledger.close()
    expect(await readFunds(engine)).toMatchObject({ accountNano: 300n, keyNano: 0n })
    expect(await findImbalances(engine)).toEqual([])
  })

  test('a cost above the hold is covered as far as there is money', async () => {
    for (const [excessNano, coveredNano] of [
      [90n, 90n],
      [900n, 790n],
    ] as const) {
      const { engine, database, replica } = await open(800n)
      const hold = await admit(replica, 10n)
      await duringRecalls(replica, database, () => hold.cover(excessNano))
      expect(hold.grantedNano).toBe(10n + coveredNano)
      hold.settle(costing(10n + excessNano), [])
      await replica.ledger.close()
      expect(await readFunds(engine)).toMatchObject({ accountNano: 790n - coveredNano })
      expect(await findImbalances(engine)).toEqual([])
    }
  })

  test('money that a pool had is recalled while the pool waits for more', async () => {
    const { engine, database, replica } = await open(90n)
    const hold = await admit(replica, 10n)
    const gate = database.close()
    const other = Promise.resolve(replica.ledger.reserve({ ...holdRequest(1n), keyId: 'nobody' }))
    await gate.arrived
    // The lease has 1, so 79 are requested.
    const asked = hold.extend(80n)
    await nextTurn()
    replica.ledger.apply([recall])
    replica.ledger.apply([recall])
    gate.open()
    await other
    expect(await asked).toBe(true)
    expect(await hold.extend(1n)).toBe(false)
    hold.settle(costing(90n), [])
    await replica.ledger.close()
    expect(await readFunds(engine)).toMatchObject({ accountNano: 0n, spentNano: 90n })
    expect(await findImbalances(engine)).toEqual([])
  })

  test('a new request is admitted', async () => {
    const { engine, database, replica } = await open(800n)
    const hold = await admit(replica, 10n)
    const second = await duringRecalls(replica, database, () => admit(replica, 790n))
    for (const each of [hold, second]) each.settle(costing(each.grantedNano), [])
    await replica.ledger.close()
    expect(await readFunds(engine)).toMatchObject({ accountNano: 0n, spentNano: 800n })
    expect(await findImbalances(engine)).toEqual([])
  })

  test('two processes that recall each other’s money all the time share the balance, and no more', async () => {
    const [engine, otherEngine] = await fixture.openTwo()
    await openFunds(engine, { creditNano: 800n })
    await otherEngine.defineShapes(settleShapes)
    const [one, other] = [await openReplica(engine, 'one'), await openReplica(otherEngine, 'other')]
    const holds = [await admit(one, 10n), await admit(other, 10n)] as const
    let isOver = false
    const calling = (async () => {
      while (!isOver) {
        for (const { ledger } of [one, other]) ledger.apply([recall])
        await nextTurn()
      }
    })()
    // Each gets in turn what the other does not need.
    for (const [at, moreNano] of [300n, 200n, 150n, 100n].entries()) {
      expect(await holds[at % 2 === 0 ? 0 : 1].extend(moreNano)).toBe(true)
    }
    // One of the two can get the rest.
    const last = await Promise.all(holds.map(async (hold) => hold.extend(30n)))
    expect(last.filter((isExtended) => isExtended)).toHaveLength(1)
    isOver = true
    await calling
    expect(holds[0].grantedNano + holds[1].grantedNano).toBe(800n)
    for (const each of holds) each.settle(costing(each.grantedNano), [])
    await Promise.all([one.ledger.close(), other.ledger.close()])
    expect(await readFunds(engine)).toMatchObject({ accountNano: 0n, spentNano: 800n })
    expect(await findImbalances(engine)).toEqual([])
  })
})
