import { describe, expect, test } from 'bun:test'
import { changeAccount } from '../../../src/accounts/account-store.ts'
import { changeAlert } from '../../../src/alerts/alert-store.ts'
import { evaluateAlerts } from '../../../src/alerts/evaluate.ts'
import { newRequestId, systemRandom } from '../../../src/core/id.ts'
import type { LeaseLedger } from '../../../src/ledger/leases/lease-ledger.ts'
import { claimDue, listMessages } from '../../../src/outbox/outbox-store.ts'
import { write } from '../../../src/store/changes/write.ts'
import { sharedFixtures } from '../../support/store/engine-fixture.ts'
import { usageRow } from '../../support/store/usage-row.ts'
import {
  BudgetWorld,
  dayMs,
  eachNano,
  midnightMs,
  settle,
  timeoutMs,
} from '../budgets/budget-world.ts'
import { addAccount, addAlert, dollar, startMs, vault } from './alert-cases.ts'

type Owner = 'key' | 'member' | 'account'
type Limit = 'total' | 'daily' | 'weekly' | 'monthly'

const nameOf = (owner: Owner, limit: Limit) =>
  owner === 'key' && limit === 'total' ? 'quotaNano' : (`${limit}Nano` as const)

const cases = (['key', 'member', 'account'] as const).flatMap((owner) =>
  (['total', 'daily', 'weekly', 'monthly'] as const).map((limit) => [owner, limit] as const),
)

/** The row of the usage log, which a limit that is set later counts. */
function usageOf(requestId: string, at: number) {
  return usageRow({ requestId, at, accountId: 'acme', keyId: 'k', costNano: eachNano })
}

/** A key whose member or account has spent 10 requests, and an alert about its budgets. */
async function open(world: BudgetWorld, owner: Owner, limit: Limit) {
  await world.open(midnightMs + 60_000)
  let nowMs = midnightMs + 60_000
  const member = owner === 'member' ? { userId: 'u' } : {}
  if (owner === 'member') {
    await world.limitMember('u', {})
    await world.engine.db.updateTable('api_key').set({ owner_user_id: 'u' }).execute()
  }
  const ledgers: LeaseLedger[] = [await world.process('a')]
  await addAlert(world.engine, { kinds: ['budget_low'] })
  const told = async (times = 2): Promise<number> => {
    const { engine } = world
    for (let each = 0; each < times; each += 1) {
      nowMs += 60_000
      const report = await evaluateAlerts({ engine, vault, random: systemRandom, nowMs })
      expect(report.failed).toEqual([])
    }
    return (await listMessages(engine.db, { accountIds: undefined, rowsMax: 99 })).length
  }
  return {
    told,
    spend: async (wanted: number) => {
      for (let left = wanted; left > 0; ) {
        const requestId = newRequestId(nowMs)
        const verdict = await ledgers[0]?.reserve(world.request({ requestId, ...member }))
        if (!verdict?.ok) continue
        settle(verdict.hold, eachNano, usageOf(requestId, nowMs))
        left -= 1
      }
      await ledgers[0]?.shipped()
    },
    /** The limit in requests; null removes it. */
    set: async (requests: number | null, budgetAlertPercent: number | null = 80, atMs = 1) => {
      const nano = requests === null ? null : BigInt(requests) * eachNano
      const limits = { [nameOf(owner, limit)]: nano, budgetAlertPercent }
      if (owner === 'key') await world.limitKey(limits, atMs)
      if (owner === 'member') await world.limitMember('u', limits, atMs)
      if (owner === 'account')
        await write(world.engine, atMs, (writing) => changeAccount(writing, 'acme', limits))
      world.tell('account', 'acme')
    },
    passDay: async () => {
      nowMs = midnightMs + dayMs
      await world.setClock(nowMs + 1_000)
    },
  }
}

describe.each(sharedFixtures('changed-limits'))('changed limits on $kind', (fixture) => {
  test.each(cases)(
    '%s, %s: a limit below what is spent is reported once, a higher one arms the alert again',
    async (owner, limit) => {
      const world = new BudgetWorld(await fixture.openMigrated())
      const { set, spend, told } = await open(world, owner, limit)
      await set(20)
      await spend(10)
      expect(await told()).toBe(0)
      // No request is sent from here on.
      await set(12)
      expect(await told()).toBe(1)
      // Already across: a lower limit is no other crossing.
      await set(5)
      expect(await told()).toBe(1)
      await set(20)
      expect(await told()).toBe(1)
      await set(10)
      expect(await told()).toBe(2)
      // A restart sends nothing.
      await world.close()
      world.ledgers.length = 0
      await world.process('a')
      expect(await told()).toBe(2)
      await set(20, 50)
      expect(await told()).toBe(2)
      await set(20, 51)
      expect(await told()).toBe(2)
      await set(20, 50)
      expect(await told()).toBe(3)
      await set(20, null)
      expect(await told()).toBe(3)
      await set(null)
      expect(await told()).toBe(3)
      await world.close()
    },
    timeoutMs,
  )

  test.each(cases)(
    '%s, %s: the first limit, set when too much is spent already, is reported',
    async (owner, limit) => {
      const world = new BudgetWorld(await fixture.openMigrated())
      const { set, spend, told } = await open(world, owner, limit)
      await spend(10)
      expect(await told()).toBe(0)
      const nowMs = midnightMs + 90_000
      await set(13, 80, nowMs)
      // 10 of 13 is less than 80 %.
      expect(await told()).toBe(0)
      await set(12, 80, nowMs)
      expect(await told()).toBe(1)
      const [message] = await claimDue(world.engine, { vault, nowMs: midnightMs })
      const { content } = message ?? {}
      const words = content && 'mail' in content ? content.mail.text : ''
      const budget = limit === 'total' ? 'total budget' : 'budget'
      expect(words).toContain(`has spent $0.0000001 of the ${budget} of $0.00000012`)
      expect(words).toMatch(
        limit === 'total' ? /never resets\./ : /resets at 20\d\d-\d\d-\d\d 00:00 UTC\./,
      )
      await world.close()
    },
    timeoutMs,
  )

  test.each(['key', 'member', 'account'] as const)(
    '%s: a new day arms the alert again, and the day before is not reported by a later change',
    async (owner) => {
      const world = new BudgetWorld(await fixture.openMigrated())
      const { set, spend, told, passDay } = await open(world, owner, 'daily')
      await set(20)
      await spend(10)
      expect(await told()).toBe(0)
      await passDay()
      // Ten requests of yesterday are more than 80 % of this, but yesterday had another limit.
      await set(12)
      expect(await told()).toBe(0)
      await spend(9)
      expect(await told()).toBe(0)
      await spend(1)
      expect(await told()).toBe(1)
      await world.close()
    },
    timeoutMs,
  )

  test(
    'a limit that was reached and then raised is not reported when its day ends',
    async () => {
      const world = new BudgetWorld(await fixture.openMigrated())
      const { set, spend, told, passDay } = await open(world, 'key', 'daily')
      await set(10)
      await spend(10)
      await set(100)
      expect(await told()).toBe(0)
      await passDay()
      expect(await told()).toBe(0)
      await world.close()
    },
    timeoutMs,
  )

  test(
    'a budget that is reached in the last moment of its day is reported, once',
    async () => {
      const world = new BudgetWorld(await fixture.openMigrated())
      const { set, spend, told, passDay } = await open(world, 'key', 'daily')
      await set(10)
      await spend(10)
      await passDay()
      expect(await told()).toBe(1)
      expect(await told()).toBe(1)
      const [message] = await claimDue(world.engine, { vault, nowMs: midnightMs })
      const { content } = message ?? {}
      const words = content && 'mail' in content ? content.mail.text : ''
      // The text promises no reset that is already over.
      expect(words).toContain('had spent $0.0000001 of the budget of $0.0000001 when the period')
      expect(words).toMatch(/ended at 20\d\d-\d\d-\d\d 00:00 UTC\. A new period has begun\./)
      await world.close()
    },
    timeoutMs,
  )

  test(
    'an alert that is created after the end of the day does not report this day',
    async () => {
      const world = new BudgetWorld(await fixture.openMigrated())
      const { set, spend, told, passDay } = await open(world, 'key', 'daily')
      await set(10)
      await spend(10)
      expect(await told()).toBe(1)
      await passDay()
      await addAlert(world.engine, { kinds: ['budget_low'] }, midnightMs + dayMs)
      expect(await told()).toBe(1)
      await spend(8)
      expect(await told()).toBe(3)
      await world.close()
    },
    timeoutMs,
  )

  test(
    'a day that was reported is not reported again by later changes',
    async () => {
      const world = new BudgetWorld(await fixture.openMigrated())
      const { set, spend, told, passDay } = await open(world, 'key', 'daily')
      await set(10)
      await spend(10)
      expect(await told()).toBe(1)
      await passDay()
      expect(await told()).toBe(1)
      for (const requests of [100, 10, 5, 10]) {
        await set(requests)
        expect(await told()).toBe(1)
      }
      await world.close()
    },
    timeoutMs,
  )

  test(
    'a replica of the former version, which does not see a lowered limit, causes no repetition',
    async () => {
      const world = new BudgetWorld(await fixture.openMigrated())
      const { set, spend, told } = await open(world, 'account', 'monthly')
      await set(20)
      await spend(10)
      await set(12)
      expect(await told()).toBe(1)
      // The former version knows only this kind of row. It deletes what it does not find.
      const { db } = world.engine
      await db.deleteFrom('alert_crossing').where('kind', '=', 'budget_low').execute()
      expect(await told()).toBe(1)
      // It reports what it finds, with this kind of row alone.
      await db.updateTable('alert_crossing').set({ kind: 'budget_low' }).execute()
      expect(await told()).toBe(1)
      await set(20)
      expect(await told()).toBe(1)
      expect(await db.selectFrom('alert_crossing').selectAll().execute()).toEqual([])
      await world.close()
    },
    timeoutMs,
  )

  test('a budget of nothing is not reported: nobody has spent anything', async () => {
    const world = new BudgetWorld(await fixture.openMigrated())
    const { set, told } = await open(world, 'key', 'daily')
    await set(0)
    expect(await told()).toBe(0)
    await world.close()
  })

  test('credit: a threshold above the balance is a crossing, and a lower one arms the alert again', async () => {
    const engine = await fixture.openMigrated()
    await addAccount(engine, 'a', { nano: 10n * dollar })
    const id = await addAlert(engine, {})
    const tools = { vault, random: systemRandom, nowMs: startMs }
    const told = async () => (await evaluateAlerts({ engine, ...tools })).crossed.length
    const set = (creditBelowNano: bigint) =>
      write(engine, startMs, (writing) => changeAlert(writing, tools, id, { creditBelowNano }))
    const counts = [await told()]
    for (const dollars of [20n, 30n, 10n, 11n]) {
      await set(dollars * dollar)
      counts.push(await told(), await told())
    }
    expect(counts).toEqual([0, 1, 0, 0, 0, 0, 0, 1, 0])
  })
})
