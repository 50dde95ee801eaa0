import { describe, expect, test } from 'bun:test'
import { recountEarlier } from '../../../src/ledger/budgets/earlier-spending.ts'
import { sharedFixtures } from '../../support/store/engine-fixture.ts'
import { eachNano, timeoutMs } from './budget-world.ts'
import { admitted, hourMs, keyOf, openSpending, owners, zones } from './open-spending.ts'

const table = owners.flatMap((owner) => zones.map((zone) => ({ owner, zone })))

describe.each(sharedFixtures('other-period'))(
  'requests at the beginning of a period, on $kind',
  (fixture) => {
    test.each(table)(
      'the $owner in $zone: a request counts in the period that admitted it, also if it arrived in another one',
      async ({ owner, zone }) => {
        const { world, ledger, startMs, begin, spend, limit, shown } = await openSpending(
          fixture,
          zone,
        )
        const key = keyOf[owner]
        const daily = 5n * eachNano
        const admit = async (arrivedAtMs: number, atMs: number): Promise<void> => {
          await world.setClock(atMs)
          const { end } = await begin(arrivedAtMs, key)
          end()
          await ledger.shipped()
        }
        await limit(owner, daily, startMs - 2 * hourMs)
        // The clock of its process is ahead of the clock of the database.
        await admit(startMs + 60_000, startMs - 1_000)
        await admit(startMs - 60_000, startMs + 1_000)
        await admit(startMs - 30_000, startMs + 1_500)
        const admittedMs = startMs + 2_000
        expect(await shown(owner, daily, admittedMs)).toEqual([2n * eachNano])
        // The limit counts everything again, with what is spent without it.
        await limit(owner, null, startMs + hourMs)
        await spend(startMs + 2 * hourMs, key)
        await limit(owner, daily, startMs + 3 * hourMs)
        expect(await shown(owner, daily, startMs + 3 * hourMs)).toEqual([3n * eachNano])
        expect(await admitted(world, ledger, key)).toBe(2)
        await ledger.shipped()
        await recountEarlier(world.engine, startMs + 6 * hourMs)
        expect(await world.counters()).toMatchObject([
          { spent_nano: eachNano },
          { spent_nano: daily, earlier_nano: eachNano },
        ])
        await world.close()
      },
      timeoutMs,
    )
  },
)
