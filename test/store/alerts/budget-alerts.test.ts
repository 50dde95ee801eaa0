import { describe, expect, test } from 'bun:test'
import { changeAccount } from '../../../src/accounts/account-store.ts'
import { evaluateAlerts } from '../../../src/alerts/evaluate.ts'
import { systemRandom } from '../../../src/core/id.ts'
import type { LeaseLedger } from '../../../src/ledger/leases/lease-ledger.ts'
import { listMessages } from '../../../src/outbox/outbox-store.ts'
import { write } from '../../../src/store/changes/write.ts'
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
import { addAlert, vault } from './alert-cases.ts'

const owners = ['key', 'member', 'account'] as const

describe.each(sharedFixtures('budget-alerts'))(
  'the alert share of a budget on $kind',
  (fixture) => {
    test.each(owners)(
      'of the %s: one message for each period, over three replicas and a restart',
      async (owner) => {
        const world = new BudgetWorld(await fixture.openMigrated())
        await world.open(midnightMs + 60_000)
        const limits = { dailyNano: 20n * eachNano, budgetAlertPercent: 80 }
        if (owner === 'key') await world.limitKey(limits)
        if (owner === 'member') await world.limitMember('u', limits)
        if (owner === 'account')
          await write(world.engine, 1, (writing) => changeAccount(writing, 'acme', limits))
        await addAlert(world.engine, { kinds: ['budget_low'] })
        const ledgers = [
          await world.process('a'),
          await world.process('b'),
          await world.process('c'),
        ]
        const spend = async (
          times: number,
          by: readonly LeaseLedger[] = ledgers,
        ): Promise<number> => {
          const verdicts = await Promise.all(
            Array.from({ length: times }, async (_, index) =>
              by[index % by.length]?.reserve(
                world.request(owner === 'member' ? { userId: 'u' } : {}),
              ),
            ),
          )
          for (const verdict of verdicts) if (verdict?.ok) settle(verdict.hold)
          await Promise.all(by.map((ledger) => ledger.shipped()))
          return verdicts.filter((verdict) => verdict?.ok).length
        }
        const told = async (nowMs: number): Promise<number> => {
          const { engine } = world
          const evaluateNow = () => evaluateAlerts({ engine, vault, random: systemRandom, nowMs })
          await Promise.all([evaluateNow(), evaluateNow(), evaluateNow()])
          return (await listMessages(engine.db, { accountIds: undefined, rowsMax: 99 })).length
        }
        const spendAll = async (wanted: number, by = ledgers): Promise<void> => {
          for (let left = wanted; left > 0; ) left -= await spend(left, by)
        }
        await spendAll(15)
        expect(await told(midnightMs + 120_000)).toBe(0)
        // All three replicas settle requests around the crossing.
        await spendAll(3)
        expect(await told(midnightMs + 180_000)).toBe(1)
        await spendAll(2)
        expect(await told(midnightMs + 240_000)).toBe(1)
        await world.close()
        world.ledgers.length = 0
        const restarted = [await world.process('a'), await world.process('d')]
        expect(await spend(6, restarted)).toBe(0)
        expect(await told(midnightMs + 300_000)).toBe(1)
        await world.setClock(midnightMs + dayMs + 60_000)
        await spendAll(15, restarted)
        expect(await told(midnightMs + dayMs + 120_000)).toBe(1)
        await spendAll(5, restarted)
        expect(await told(midnightMs + dayMs + 180_000)).toBe(2)
        // The condition of the day before ends a day after its period; this sends no message.
        expect(await told(midnightMs + 2 * dayMs + 60_000)).toBe(2)
        expect(await told(midnightMs + 3 * dayMs + 60_000)).toBe(2)
        const crossings = await world.engine.db.selectFrom('budget_crossing').selectAll().execute()
        expect(crossings.map((row) => row.alert_nano)).toEqual([16n * eachNano, 16n * eachNano])
        await world.close()
      },
      timeoutMs,
    )

    test(
      'is not reported again after the time zone was unknown for a while',
      async () => {
        const world = new BudgetWorld(await fixture.openMigrated())
        const { engine } = world
        await world.open(midnightMs + 60_000)
        await addAlert(engine, { kinds: ['budget_low'] })
        const limitIn = (budgetZone: string) =>
          world.limitKey({ dailyNano: eachNano, budgetAlertPercent: 80, budgetZone })
        await limitIn('UTC')
        const ledger = await world.process('a')
        settle(holdOf(await ledger.reserve(world.request())))
        await ledger.shipped()
        const crossedAt = async (nowMs: number) =>
          (await evaluateAlerts({ engine, vault, random: systemRandom, nowMs })).crossed
        expect(await crossedAt(midnightMs + 120_000)).toEqual(['budget_low'])
        await limitIn('Mars/Olympus')
        expect(await crossedAt(midnightMs + 180_000)).toEqual([])
        await limitIn('UTC')
        expect(await crossedAt(midnightMs + 240_000)).toEqual([])
        await world.close()
      },
      timeoutMs,
    )
  },
)
