import { describe, expect, test } from 'bun:test'
import type { Hold } from '../../../src/ledger/ledger.ts'
import { sharedFixtures } from '../../support/store/engine-fixture.ts'
import {
  BudgetWorld,
  dayMs,
  eachNano,
  midnightMs,
  settle,
  timeoutMs,
} from '../budgets/budget-world.ts'
import { holdOf } from '../ledger/ledger-helpers.ts'

/*
 * Replicas of the version before migration 0038 name a counter after `budget_since`, if that is within the period, and
 * write it when they change kinds of limits. They know neither `budget_kinds_at` nor `counted_for`.
 */

const noonMs = midnightMs + dayMs / 2
const setMs = noonMs - 60_000

describe.each(sharedFixtures('counted-limits'))(
  'limits of the former version on $kind',
  (fixture) => {
    test.each([
      {
        name: 'set within the day',
        since: setMs,
        id: `key k day ${midnightMs} ${midnightMs + dayMs} ${setMs}`,
      },
      { name: 'set before the day', since: 1, id: `key k day ${midnightMs} ${midnightMs + dayMs}` },
    ])(
      '$name: both versions charge the same counter, also after the present one adds a limit',
      async ({ since, id }) => {
        const world = new BudgetWorld(await fixture.openMigrated())
        await world.open(noonMs)
        await world.limitKey({ dailyNano: 4n * eachNano })
        await world.engine.db
          .updateTable('api_key')
          .set({ budget_since: since, budget_kinds_at: 0 })
          .where('id', '=', 'k')
          .execute()
        const [one, other] = [await world.process('one'), await world.process('other')]
        const holds: Hold[] = []
        holds.push(holdOf(await one.reserve(world.request())))
        holds.push(holdOf(await other.reserve(world.request())))
        // A former replica writes the counter without the column that it does not know.
        await world.engine.db.updateTable('budget_counter').set({ counted_for: null }).execute()
        await world.limitKey({ dailyNano: 4n * eachNano, monthlyNano: 99n * eachNano }, noonMs)
        const key = await world.engine.db
          .selectFrom('api_key')
          .select(['budget_since', 'budget_kinds_at'])
          .where('id', '=', 'k')
          .executeTakeFirstOrThrow()
        expect(key).toEqual({ budget_since: since, budget_kinds_at: noonMs })
        for (const ledger of [one, other])
          holds.push(holdOf(await ledger.reserve(world.request({ waitsFor: 'nothing' }))))
        for (const ledger of [one, other])
          expect((await ledger.reserve(world.request({ waitsFor: 'nothing' }))).ok).toBe(false)
        for (const hold of holds) settle(hold)
        await Promise.all([one.shipped(), other.shipped()])
        await world.close()
        const days = (await world.counters()).filter(({ period }) => period === 'day')
        expect(days).toMatchObject([{ id, spent_nano: 4n * eachNano, available_nano: 0n }])
      },
      timeoutMs,
    )
  },
)
