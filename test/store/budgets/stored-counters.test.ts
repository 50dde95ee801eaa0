import { describe, expect, test } from 'bun:test'
import type { Unit } from '../../../src/store/engine.ts'
import { eventually } from '../../support/eventually.ts'
import { sharedFixtures } from '../../support/store/engine-fixture.ts'
import { holdOf } from '../ledger/ledger-helpers.ts'
import { BudgetWorld, dayMs, eachNano, midnightMs, settle, timeoutMs } from './budget-world.ts'

/* A process writes the counters of a period once, and again when their limits have changed: `BudgetTerms.isStored`. */

describe.each(sharedFixtures('stored-counters'))('stored counters on $kind', (fixture) => {
  async function openWorld() {
    const engine = await fixture.openMigrated()
    let writes = 0
    let gate: Promise<void> | undefined
    const storesCounters = ({ statements }: Unit): boolean =>
      statements.some(({ sql }) => sql.includes('INSERT INTO budget_counter'))
    const world = new BudgetWorld({
      ...engine,
      runUnits: async (units) => {
        if (units.some(storesCounters)) writes += 1
        const results = await engine.runUnits(units)
        await gate
        return results
      },
    })
    await world.open(midnightMs + dayMs / 2)
    return {
      world,
      writes: () => writes,
      hold: (until: Promise<void>) => {
        gate = until
      },
    }
  }

  const limitIn = async (world: BudgetWorld) => (await world.counters())[0]?.limit_nano

  test(
    'are written by the first grant of a period only, and again after a change',
    async () => {
      const { world, writes } = await openWorld()
      await world.limitKey({ dailyNano: 5n * eachNano })
      const ledger = await world.process('r')
      for (let count = 0; count < 5; count += 1) {
        settle(holdOf(await ledger.reserve(world.request())))
        await ledger.shipped()
      }
      expect((await ledger.reserve(world.request())).ok).toBe(false)
      expect(writes()).toBe(1)
      await world.limitKey({ dailyNano: 6n * eachNano })
      settle(holdOf(await ledger.reserve(world.request())))
      expect((await ledger.reserve(world.request())).ok).toBe(false)
      expect(writes()).toBe(2)
      expect(await limitIn(world)).toBe(6n * eachNano)
      await world.setClock(midnightMs + dayMs + 60_000)
      settle(holdOf(await ledger.reserve(world.request())))
      expect(writes()).toBe(3)
      await world.close()
    },
    timeoutMs,
  )

  test(
    'are written again when the limits change during a grant',
    async () => {
      const { world, hold } = await openWorld()
      await world.limitKey({ dailyNano: 2n * eachNano })
      const ledger = await world.process('r')
      settle(holdOf(await ledger.reserve(world.request())))
      await ledger.shipped()
      const gate = Promise.withResolvers<void>()
      hold(gate.promise)
      const slow = ledger.reserve(world.request())
      await world.limitKey({ dailyNano: 4n * eachNano })
      gate.resolve()
      settle(holdOf(await slow))
      for (let count = 0; count < 2; count += 1)
        settle(holdOf(await ledger.reserve(world.request())))
      expect((await ledger.reserve(world.request())).ok).toBe(false)
      await eventually(
        'the new limit is stored',
        async () => (await limitIn(world)) === 4n * eachNano,
      )
      await world.close()
      expect((await world.counters())[0]).toMatchObject({ spent_nano: 4n * eachNano })
    },
    timeoutMs,
  )

  test(
    'of another process with other limits are not trusted',
    async () => {
      const { world } = await openWorld()
      await world.limitKey({ dailyNano: 2n * eachNano })
      const [one, other] = [await world.process('one'), await world.process('other')]
      settle(holdOf(await one.reserve(world.request())))
      await one.shipped()
      // Only the other process learns of the change, and stores the counters with the new limit.
      const heard = world.ledgers.splice(0)
      await world.limitKey({ dailyNano: 1n * eachNano })
      world.ledgers.push(...heard)
      expect((await other.reserve(world.request())).ok).toBe(false)
      await world.limitKey({ dailyNano: 2n * eachNano })
      settle(holdOf(await one.reserve(world.request())))
      expect((await one.reserve(world.request())).ok).toBe(false)
      expect((await other.reserve(world.request())).ok).toBe(false)
      await world.close()
      expect((await world.counters())[0]).toMatchObject({ spent_nano: 2n * eachNano })
    },
    timeoutMs,
  )
})
