import { describe, expect, test } from 'bun:test'
import { sql } from 'kysely'
import { changeAccount } from '../../../src/accounts/account-store.ts'
import { BudgetTerms } from '../../../src/ledger/budgets/budget-terms.ts'
import { readRules } from '../../../src/ledger/budgets/read-rules.ts'
import { closeLeasesOf } from '../../../src/ledger/leases/close-leases.ts'
import { grantedBy, grantUnit } from '../../../src/ledger/leases/lease-units.ts'
import { write } from '../../../src/store/changes/write.ts'
import { GroupCommit } from '../../../src/store/units/group-commit.ts'
import { sharedFixtures } from '../../support/store/engine-fixture.ts'
import { holdOf } from '../ledger/ledger-helpers.ts'
import { BudgetWorld, dayMs, eachNano, midnightMs, settle, timeoutMs } from './budget-world.ts'

describe.each(sharedFixtures('budgets'))('budgets on $kind', (fixture) => {
  async function openWorld(atMs: number): Promise<BudgetWorld> {
    const world = new BudgetWorld(await fixture.openMigrated())
    await world.open(atMs)
    return world
  }

  const noonMs = midnightMs + dayMs / 2
  const owners = [
    ['key', 'day', 'key_quota_exhausted'],
    ['account', 'month', 'account_budget_exhausted'],
    ['account', 'total', 'account_budget_exhausted'],
    ['member', 'week', 'member_budget_exhausted'],
  ] as const

  test.each(owners)(
    'a budget of the %s for each %s admits exactly as many as it pays for, then refuses with its reset',
    async (owner, period, reason) => {
      const world = await openWorld(noonMs)
      const nano = 3n * eachNano
      if (owner === 'key') await world.limitKey({ dailyNano: nano })
      if (owner === 'account')
        await write(world.engine, 1, (w) =>
          changeAccount(
            w,
            'acme',
            period === 'total' ? { totalNano: nano } : { monthlyNano: nano },
          ),
        )
      if (owner === 'member') await world.limitMember('u', { weeklyNano: nano })
      const ledger = await world.process('r')
      const request = () => world.request(owner === 'member' ? { userId: 'u' } : {})
      for (let count = 0; count < 3; count += 1) settle(holdOf(await ledger.reserve(request())))
      const verdict = await ledger.reserve(request())
      expect(verdict).toMatchObject({ ok: false, refusal: { reason, affordableNano: 0n } })
      const [counter] = await world.counters()
      const refusal = verdict.ok ? undefined : verdict.refusal
      expect(refusal?.budget).toEqual({
        period,
        limitNano: nano,
        resetsAtMs: counter?.ends_at ?? null,
      })
      expect(counter).toMatchObject({
        owner_kind: owner,
        period,
        spent_nano: nano,
        available_nano: 0n,
      })
      expect((await ledger.forecastHold(request())).refusalOf(eachNano)).toMatchObject({ reason })
      await world.close()
    },
    timeoutMs,
  )

  test(
    'a request counts in the period of its admission, also when it needs more and ends in the next',
    async () => {
      const world = await openWorld(midnightMs - 60_000)
      await world.limitKey({ dailyNano: 30n })
      const ledger = await world.process('r')
      const early = holdOf(await ledger.reserve(world.request()))
      await world.setClock(midnightMs + 60_000)
      // The new day has its whole budget, whatever the holds of the old day are.
      for (let count = 0; count < 3; count += 1)
        settle(holdOf(await ledger.reserve(world.request())))
      expect((await ledger.reserve(world.request())).ok).toBe(false)
      expect(await early.extend(20n)).toBe(true)
      expect(await early.extend(1n)).toBe(false)
      settle(early, 30n)
      await world.close()
      const spent = (await world.counters()).map((each) => [each.starts_at, each.spent_nano])
      expect(spent).toEqual([
        [midnightMs - dayMs, 30n],
        [midnightMs, 30n],
      ])
    },
    timeoutMs,
  )

  test(
    'unused money in a lease of one day pays no request of the next day',
    async () => {
      const world = await openWorld(midnightMs - 60_000)
      await world.limitKey({ dailyNano: 100_000n })
      const ledger = await world.process('r')
      settle(holdOf(await ledger.reserve(world.request())))
      const [lease] = await world.engine.db.selectFrom('lease').select('granted_nano').execute()
      expect(lease?.granted_nano).toBeGreaterThan(2n * eachNano)
      await world.setClock(midnightMs + 60_000)
      settle(holdOf(await ledger.reserve(world.request())))
      await world.close()
      const spent = (await world.counters()).map((each) => [each.starts_at, each.spent_nano])
      expect(spent).toEqual([
        [midnightMs - dayMs, eachNano],
        [midnightMs, eachNano],
      ])
    },
    timeoutMs,
  )

  test(
    'the remaining budget of one day covers no part of a request of the next day',
    async () => {
      const world = await openWorld(midnightMs - 60_000)
      await world.limitKey({ dailyNano: 25n })
      const ledger = await world.process('r')
      settle(holdOf(await ledger.reserve(world.request())))
      const running = holdOf(await ledger.reserve(world.request()))
      await world.setClock(midnightMs + 60_000)
      for (let count = 0; count < 2; count += 1)
        settle(holdOf(await ledger.reserve(world.request())))
      settle(running, 0n)
      expect((await ledger.reserve(world.request())).ok).toBe(false)
      await world.close()
      const spent = (await world.counters()).map((each) => [each.starts_at, each.spent_nano])
      expect(spent).toEqual([
        [midnightMs - dayMs, 10n],
        [midnightMs, 20n],
      ])
    },
    timeoutMs,
  )

  test(
    'the clock of the database decides about the period, not that of the process',
    async () => {
      const world = await openWorld(noonMs)
      await world.limitKey({ dailyNano: 20n })
      const right = await world.process('right')
      const wrong = await world.process('wrong', 20 * 3_600_000)
      settle(holdOf(await right.reserve(world.request())))
      settle(holdOf(await wrong.reserve(world.request())))
      expect((await wrong.reserve(world.request())).ok).toBe(false)
      expect((await right.reserve(world.request())).ok).toBe(false)
      await world.close()
      const counters = await world.counters()
      expect(counters.map((each) => each.spent_nano).filter((nano) => nano > 0n)).toEqual([20n])
    },
    timeoutMs,
  )

  test.each([
    ['has ended', midnightMs - 1],
    ['has not begun', midnightMs + dayMs],
  ])(
    'the database grants nothing for a period that %s',
    async (_, atMs) => {
      const world = await openWorld(noonMs)
      const { engine } = world
      await world.limitKey({ dailyNano: 20n })
      await world.process('r')
      const rules = await readRules(engine, world.request())
      const grant = async (terms: BudgetTerms): Promise<bigint | undefined> => {
        const amounts = { leastNano: 10n, wantedNano: 10n, reclaimInMs: 1 }
        const request = { ...world.request(), leaseId: `lease ${terms.setId}`, ...amounts, terms }
        const unit = grantUnit(request, { replica: 'r', epoch: 1 }, engine.clockSql)
        return grantedBy(await new GroupCommit(engine).run(unit))
      }
      expect(await grant(new BudgetTerms(rules, atMs))).toBeUndefined()
      expect(await engine.db.selectFrom('lease').select('id').execute()).toEqual([])
      expect(await grant(new BudgetTerms(rules, noonMs))).toBe(10n)
    },
    timeoutMs,
  )

  test.each([
    ['time zone', { budgetZone: 'Asia/Kathmandu' }, midnightMs + dayMs - 5.75 * 3_600_000],
    ['alert share', { budgetAlertPercent: 50 }, midnightMs + dayMs],
  ] as const)(
    'another %s of the same limit reaches a process that has money',
    async (_, change, resetsAtMs) => {
      const world = await openWorld(noonMs)
      await world.limitKey({ dailyNano: 3n * eachNano })
      const ledger = await world.process('r')
      settle(holdOf(await ledger.reserve(world.request())))
      await ledger.shipped()
      await world.limitKey({ dailyNano: 3n * eachNano, ...change }, noonMs)
      // The request was made without a row in the log, so a new period counts what follows.
      let verdict = await ledger.reserve(world.request())
      for (let count = 0; verdict.ok && count < 5; count += 1) {
        settle(verdict.hold)
        await ledger.shipped()
        verdict = await ledger.reserve(world.request())
      }
      expect(verdict).toMatchObject({ ok: false, refusal: { budget: { resetsAtMs } } })
      const crossings = await world.engine.db.selectFrom('budget_crossing').selectAll().execute()
      expect(crossings).toHaveLength('budgetAlertPercent' in change ? 1 : 0)
      await world.close()
    },
    timeoutMs,
  )

  test(
    'a changed limit counts the spent amount; a limit below that amount grants nothing',
    async () => {
      const world = await openWorld(noonMs)
      await world.limitKey({ dailyNano: 30n })
      const ledger = await world.process('r')
      for (let count = 0; count < 2; count += 1)
        settle(holdOf(await ledger.reserve(world.request())))
      await ledger.shipped()
      await world.limitKey({ dailyNano: 5n })
      expect((await ledger.reserve(world.request({ amountNano: 1n }))).ok).toBe(false)
      expect((await world.counters())[0]).toMatchObject({ limit_nano: 5n, available_nano: -15n })
      await world.limitKey({ dailyNano: 40n })
      for (let count = 0; count < 2; count += 1)
        settle(holdOf(await ledger.reserve(world.request())))
      expect((await ledger.reserve(world.request())).ok).toBe(false)
      await world.limitKey({ dailyNano: null })
      settle(holdOf(await ledger.reserve(world.request())))
      await world.close()
      expect((await world.counters())[0]).toMatchObject({ spent_nano: 40n, available_nano: 0n })
    },
    timeoutMs,
  )

  test(
    'a settlement after its lease was closed is charged to the counters of the lease, once',
    async () => {
      const world = await openWorld(noonMs)
      await world.limitKey({ dailyNano: 30n })
      const ledger = await world.process('r')
      const hold = holdOf(await ledger.reserve(world.request()))
      await closeLeasesOf(world.engine, { replica: 'r', epoch: 1 })
      expect((await world.counters())[0]).toMatchObject({ available_nano: 30n, spent_nano: 0n })
      settle(hold)
      await ledger.shipped()
      expect((await world.counters())[0]).toMatchObject({ available_nano: 20n, spent_nano: 10n })
      const uncounted = await world.engine.db.selectFrom('uncounted_cost').selectAll().execute()
      expect(uncounted).toEqual([])
      await world.close()
    },
    timeoutMs,
  )

  test(
    'settlements that a restored database gets before the counters of their period are counted once',
    async () => {
      const world = await openWorld(noonMs)
      await world.limitKey({ dailyNano: 40n })
      const ledger = await world.process('r')
      const holds = [
        holdOf(await ledger.reserve(world.request())),
        holdOf(await ledger.reserve(world.request())),
      ]
      // The backup is older than the lease and its counters.
      await closeLeasesOf(world.engine, { replica: 'r', epoch: 1 })
      for (const table of ['budget_set', 'budget_counter'] as const)
        await world.engine.db.deleteFrom(table).execute()
      for (const hold of holds) {
        settle(hold)
        await ledger.shipped()
      }
      const other = await world.process('other')
      settle(holdOf(await other.reserve(world.request())))
      // Another limit is stored in the same counter, which has these settlements by now.
      await world.limitKey({ dailyNano: 50n })
      for (let count = 0; count < 2; count += 1)
        settle(holdOf(await other.reserve(world.request())))
      expect((await other.reserve(world.request())).ok).toBe(false)
      await world.close()
      expect((await world.counters())[0]).toMatchObject({ available_nano: 0n, spent_nano: 50n })
    },
    timeoutMs,
  )

  test(
    'an alert amount that is reached is recorded once, in the transaction of the settlement',
    async () => {
      const world = await openWorld(noonMs)
      await world.limitKey({ dailyNano: 50n, budgetAlertPercent: 80 })
      const ledger = await world.process('r')
      const crossings = () => world.engine.db.selectFrom('budget_crossing').selectAll().execute()
      for (let count = 0; count < 3; count += 1)
        settle(holdOf(await ledger.reserve(world.request())))
      await ledger.shipped()
      expect(await crossings()).toEqual([])
      for (let count = 0; count < 2; count += 1) {
        settle(holdOf(await ledger.reserve(world.request())))
        await ledger.shipped()
        expect(await crossings()).toMatchObject([{ alert_nano: 40n, spent_nano: 40n }])
      }
      // Another limit has an alert amount of its own: 80 % of 72 are 58, because an alert never comes early.
      await world.limitKey({ dailyNano: 72n, budgetAlertPercent: 80 })
      for (const costNano of [7n, 1n]) {
        expect(await crossings()).toHaveLength(1)
        settle(holdOf(await ledger.reserve(world.request())), costNano)
        await ledger.shipped()
      }
      expect((await crossings())[1]).toMatchObject({ alert_nano: 58n, spent_nano: 58n })
      await world.close()
    },
    timeoutMs,
  )

  test(
    'a replica of an earlier version gets no lease where a budget applies',
    async () => {
      const world = await openWorld(noonMs)
      const old = (id: string) =>
        sql`INSERT INTO lease (id, replica, epoch, account_id, key_id, granted_nano, used_nano, version, created_at,
        reclaim_at) VALUES (${id}, 'old', 1, 'acme', 'k', 0, 0, 1, 1, 1)`.execute(world.engine.db)
      await old('before')
      await world.limitKey({ dailyNano: 50n })
      await old('key')
      await world.limitKey({ dailyNano: null })
      await write(world.engine, 1, (w) => changeAccount(w, 'acme', { totalNano: 50n }))
      await old('account')
      const ids = await world.engine.db.selectFrom('lease').select('id').execute()
      expect(ids).toEqual([{ id: 'before' }])
    },
    timeoutMs,
  )

  test.each(['key', 'member'] as const)(
    '500 requests of three processes while the day of a %s ends: never one more than 20 a day',
    async (owner) => {
      const world = await openWorld(noonMs)
      const limits = { dailyNano: 20n * eachNano }
      const keys = ['k', 'k2', 'k3', 'k4']
      if (owner === 'key') await world.limitKey(limits)
      else {
        await world.limitMember('u', limits)
        for (const id of keys.slice(1)) await world.addKey(id, 'u')
      }
      const holdRequest = (index: number) =>
        owner === 'key' ? {} : { userId: 'u', keyId: keys[index % keys.length] ?? 'k' }
      const ledgers = [await world.process('a'), await world.process('b'), await world.process('c')]
      const ask = async (index: number): Promise<boolean> => {
        const ledger = ledgers[index % 3]
        const verdict = await ledger?.reserve(world.request(holdRequest(index)))
        if (!verdict?.ok) return false
        await verdict.hold.admitted
        settle(verdict.hold)
        return true
      }
      await world.setClock(midnightMs + dayMs - 150)
      const asked = await Promise.all(Array.from({ length: 500 }, (_, index) => ask(index)))
      await world.setClock(midnightMs + dayMs + 60_000)
      const later = await Promise.all(Array.from({ length: 60 }, (_, index) => ask(index)))
      await world.close()
      const counters = await world.counters()
      const spent = new Map(counters.map((each) => [each.starts_at, each.spent_nano]))
      const admitted = [...asked, ...later].filter(Boolean).length
      const all = counters.reduce((sum, each) => sum + each.spent_nano, 0n)
      expect(all).toBe(BigInt(admitted) * eachNano)
      expect(spent.get(midnightMs) ?? 0n).toBeLessThanOrEqual(20n * eachNano)
      expect(spent.get(midnightMs + dayMs)).toBe(20n * eachNano)
      expect(counters.every((each) => each.available_nano >= 0n)).toBe(true)
    },
    timeoutMs,
  )
})
