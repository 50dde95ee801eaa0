import { describe, expect, test } from 'bun:test'
import { sql } from 'kysely'
import { putMember } from '../../../src/accounts/member-store.ts'
import { createKey } from '../../../src/keys/key-store.ts'
import { makeServiceKey } from '../../../src/keys/make-service-key.ts'
import { recountEarlier } from '../../../src/ledger/budgets/earlier-spending.ts'
import { raiseCounter } from '../../../src/ledger/budgets/raise-counter.ts'
import { rawOf } from '../../../src/ledger/budgets/sql-fragment.ts'
import { grantCredit } from '../../../src/ledger/credits.ts'
import { write } from '../../../src/store/changes/write.ts'
import { eventually } from '../../support/eventually.ts'
import { sharedFixtures } from '../../support/store/engine-fixture.ts'
import { addAccount, plainKey, tools } from '../../support/store/row-helpers.ts'
import { dayMs, eachNano, timeoutMs } from './budget-world.ts'
import { admitted, hourMs, keyOf, openSpending, owners, type Zone, zones } from './open-spending.ts'

describe.each(sharedFixtures('earlier-spending'))(
  'a limit set within a period, on $kind',
  (fixture) => {
    const open = (zone: Zone) => openSpending(fixture, zone)

    const table = owners.flatMap((owner) => zones.map((zone) => ({ owner, zone })))
    test.each(table)(
      'the $owner in $zone: the spending since the start of the period counts, and nothing else',
      async ({ owner, zone }) => {
        const { world, ledger, startMs, spend, limit, shown } = await open(zone)
        const times = [-60_000, 60_000, 20 * 60_000, 3 * hourMs, 9 * hourMs, 10 * hourMs - 60_000]
        for (const each of times)
          for (const key of ['k', 'mine', 'mine-too']) await spend(startMs + each, key)
        // One of the six was before the day.
        const earlier = { key: 5n, member: 10n, account: 15n }[owner]
        const setMs = startMs + 10 * hourMs
        const dailyNano = (earlier + 3n) * eachNano
        await limit(owner, dailyNano, setMs)
        expect(await shown(owner, dailyNano, setMs)).toEqual([earlier * eachNano])
        const keyId = keyOf[owner]
        const ahead = await ledger.forecastHold(
          world.request({ keyId, ...(keyId === 'k' ? {} : { userId: 'u' }) }),
        )
        expect(ahead.refusalOf(3n * eachNano)).toBeUndefined()
        expect(ahead.refusalOf(4n * eachNano)).toMatchObject({ affordableNano: 3n * eachNano })
        expect(await admitted(world, ledger, keyOf[owner])).toBe(3)
        await ledger.shipped()
        expect(await shown(owner, dailyNano, setMs)).toEqual([dailyNano])
        const [counter] = await world.counters()
        expect(counter).toMatchObject({ earlier_nano: earlier * eachNano, available_nano: 0n })
        // The next day has its whole budget.
        await world.setClock(startMs + dayMs + 60_000)
        expect(await admitted(world, ledger, keyOf[owner])).toBe(Number(earlier) + 3)
        await world.close()
      },
      timeoutMs,
    )

    test.each(zones)(
      'the member in %s: a key that is a service key now counts until it became one, and no longer',
      async (zone) => {
        const { world, ledger, startMs, spend, limit, shown } = await open(zone)
        const times = [-60_000, 60_000, 3 * hourMs, 5 * hourMs + 60_000, 5 * hourMs + 29 * 60_000]
        for (const each of times) await spend(startMs + each, 'mine')
        const convertedMs = startMs + 5 * hourMs + 30 * 60_000
        await write(world.engine, convertedMs, (w) => makeServiceKey(w, tools, 'mine'))
        for (const each of [60_000, 20 * 60_000, 2 * hourMs, 3 * hourMs])
          await spend(convertedMs + each, 'mine')
        const setMs = startMs + 10 * hourMs
        const daily = 6n * eachNano
        await limit('member', daily, setMs)
        expect(await shown('member', daily, setMs)).toEqual([4n * eachNano])
        expect(await shown('member', daily, setMs, 'totalNano')).toEqual([5n * eachNano])
        expect(await admitted(world, ledger, 'mine-too')).toBe(2)
        await ledger.shipped()
        await recountEarlier(world.engine, setMs + 3 * hourMs)
        expect(await world.counters()).toMatchObject([
          { earlier_nano: 4n * eachNano, spent_nano: daily },
        ])
        await world.close()
      },
      timeoutMs,
    )

    test.each(owners)(
      'the %s: a limit that was removed and set again counts the spending in between',
      async (owner) => {
        const { world, ledger, startMs, spend, limit } = await open('UTC')
        const key = keyOf[owner]
        await limit(owner, 10n * eachNano, startMs + hourMs)
        await spend(startMs + 2 * hourMs, key)
        await limit(owner, null, startMs + 3 * hourMs)
        await spend(startMs + 4 * hourMs, key)
        await limit(owner, 5n * eachNano, startMs + 9 * hourMs)
        expect(await admitted(world, ledger, key)).toBe(3)
        // Another amount does not change the spending.
        await limit(owner, 6n * eachNano, startMs + 10 * hourMs)
        expect(await admitted(world, ledger, key)).toBe(1)
        await world.close()
      },
      timeoutMs,
    )

    test.each(owners)(
      'the %s: requests that run when the limit is set are counted when they have ended, once',
      async (owner) => {
        const { world, ledger, startMs, begin, limit } = await open('UTC')
        const key = keyOf[owner]
        const other = await world.process('other')
        const atMs = startMs + 5 * hourMs
        await world.setClock(atMs)
        const running = await Promise.all(
          Array.from({ length: 6 }, (_, index) =>
            begin(atMs + index, key, index % 2 ? ledger : other),
          ),
        )
        for (const { end } of running.slice(0, 2)) end()
        await Promise.all([ledger.shipped(), other.shipped()])
        const setMs = atMs + 60_000
        await limit(owner, 10n * eachNano, setMs)
        const mine = await Promise.all([begin(setMs + 10, key), begin(setMs - 10, key, other)])
        for (const { end } of [...running.slice(2), ...mine]) end()
        await Promise.all([ledger.shipped(), other.shipped()])
        expect(await world.counters()).toMatchObject([{ spent_nano: 4n * eachNano }])
        const { db } = world.engine
        for (const turn of [1, 2, 3]) {
          // The hourly sums show that nothing is missing, so the last count does not read these rows.
          if (turn === 3) await sql`UPDATE usage_row SET cost_nano = cost_nano * 10`.execute(db)
          await recountEarlier(world.engine, setMs + turn * 60_000)
          expect(await world.counters()).toMatchObject([
            { spent_nano: 8n * eachNano, earlier_nano: 6n * eachNano },
          ])
        }
        expect(await admitted(world, ledger, key)).toBe(2)
        await world.close()
      },
      timeoutMs,
    )

    test.each(owners)(
      'the %s: a request that ends hours after the limit was set counts, until the period ends',
      async (owner) => {
        const { world, ledger, startMs, begin, limit } = await open('UTC')
        const key = keyOf[owner]
        const atMs = startMs + 2 * hourMs
        await world.setClock(atMs)
        const running = await begin(atMs, key)
        await limit(owner, 10n * eachNano, atMs + 60_000)
        // The counter exists before the request ends.
        const mine = await begin(atMs + 60_010, key)
        mine.end()
        await ledger.shipped()
        const lateMs = startMs + 9 * hourMs
        await world.setClock(lateMs)
        running.end()
        await ledger.shipped()
        for (const turn of [1, 2]) {
          await recountEarlier(world.engine, lateMs + turn * hourMs)
          expect(await world.counters()).toMatchObject([
            { spent_nano: 2n * eachNano, earlier_nano: eachNano },
          ])
        }
        expect(await admitted(world, ledger, key)).toBe(8)
        await world.close()
      },
      timeoutMs,
    )

    const totalOwners = ['member', 'account'] as const
    test.each(totalOwners)(
      'the total of the %s counts everything that was ever spent, whenever the limit is set',
      async (owner) => {
        const { world, ledger, startMs, begin, spend, limit, shown } = await open('UTC')
        const key = keyOf[owner]
        const total = (nano: bigint | null, atMs: number) => limit(owner, nano, atMs, 'totalNano')
        for (const each of [-30 * dayMs, -dayMs, hourMs])
          for (const id of ['k', 'mine', 'mine-too']) await spend(startMs + each, id)
        const earlier = { member: 6n, account: 9n }[owner]
        const setMs = startMs + 2 * hourMs
        await world.setClock(setMs - 1)
        const running = await begin(setMs - 1, key)
        await total((earlier + 4n) * eachNano, setMs)
        expect(await shown(owner, 1n, setMs, 'totalNano')).toEqual([earlier * eachNano])
        const wish = world.request({ keyId: key, ...(key === 'k' ? {} : { userId: 'u' }) })
        const ahead = await ledger.forecastHold(wish)
        expect(ahead.refusalOf(5n * eachNano)).toMatchObject({ affordableNano: 4n * eachNano })
        await spend(setMs, key)
        // A request that was admitted without the total counts after it has ended and the count has run.
        running.end()
        await ledger.shipped()
        await recountEarlier(world.engine, setMs + 5 * hourMs)
        expect(await shown(owner, 1n, setMs, 'totalNano')).toEqual([(earlier + 2n) * eachNano])
        // Removes the total, and sets another one.
        await total(null, setMs + hourMs)
        await spend(setMs + 2 * hourMs, key)
        const again = (earlier + 5n) * eachNano
        await total(again, setMs + dayMs)
        expect(await shown(owner, again, setMs + dayMs, 'totalNano')).toEqual([
          (earlier + 3n) * eachNano,
        ])
        const ahead2 = await ledger.forecastHold(wish)
        expect(ahead2.refusalOf(3n * eachNano)).toMatchObject({ affordableNano: 2n * eachNano })
        expect(await admitted(world, ledger, key)).toBe(2)
        await ledger.shipped()
        const counters = await world.counters()
        expect(counters).toMatchObject([{ spent_nano: again, available_nano: 0n, period: 'total' }])
        await world.setClock(setMs + 40 * dayMs)
        expect(await admitted(world, ledger, key)).toBe(0)
        await world.close()
      },
      timeoutMs,
    )

    test(
      'what a member spends in another account does not count',
      async () => {
        const { world, ledger, startMs, begin, spend, limit, shown } = await open('UTC')
        const { engine } = world
        const atMs = startMs + hourMs
        await addAccount(engine, 'other')
        await write(engine, 1, async (writing) => {
          const credit = { id: 'c2', accountId: 'other', source: 's', externalId: 'c2', reason: '' }
          await grantCredit(writing, { ...credit, at: 1, amountNano: 1_000n })
          await putMember(writing, { userId: 'u', accountId: 'other' })
          const key = { ...plainKey, accountId: 'other', ownerId: 'u' }
          await createKey(writing, tools, key, { id: 'mine-there' })
        })
        await spend(atMs, 'mine')
        const { end } = await begin(atMs, 'mine-there', ledger, 'other')
        end()
        await ledger.shipped()
        for (const name of ['dailyNano', 'totalNano'] as const) {
          await limit('member', 3n * eachNano, atMs + 1, name)
          expect(await shown('member', 3n * eachNano, atMs + 1, name)).toEqual([eachNano])
        }
        expect(await admitted(world, ledger, 'mine-too')).toBe(2)
        await world.close()
      },
      timeoutMs,
    )

    test(
      'a total that is counted again while a grant raises it is raised once',
      async () => {
        const { world, startMs, spend, limit } = await open('UTC')
        const total = (nano: bigint | null, atMs: number) =>
          limit('account', nano, atMs, 'totalNano')
        await total(9n * eachNano, startMs)
        await spend(startMs + 1)
        await total(null, startMs + hourMs)
        await spend(startMs + hourMs + 1)
        await total(9n * eachNano, startMs + 2 * hourMs)
        const [counter] = await world.counters()
        const owner = { kind: 'account' as const, accountId: 'acme', id: 'acme' }
        const period = { period: 'total' as const, startsAtMs: 0, endsAtMs: null }
        const raised = { id: counter?.id ?? '', owner, ...period }
        const raise = rawOf(raiseCounter(raised, startMs + 2 * hourMs))
        let recounted: Promise<void> | undefined
        await world.engine.db.transaction().execute(async (tx) => {
          await raise.execute(tx)
          recounted = recountEarlier(world.engine, startMs + 2 * hourMs + 60_000)
          // SQLite has one writer at a time.
          if (fixture.kind === 'postgres')
            await eventually('the count waits for the counter', async () => {
              const { rows } = await sql`SELECT 1 FROM pg_locks WHERE NOT granted`.execute(tx)
              return rows.length > 0
            })
        })
        await recounted
        expect(await world.counters()).toMatchObject([
          { spent_nano: 2n * eachNano, available_nano: 7n * eachNano, earlier_nano: eachNano },
        ])
        await world.close()
      },
      timeoutMs,
    )

    test(
      'a total of the former version, which counted from its setting, is raised by the first grant',
      async () => {
        const { world, ledger, startMs, spend, limit } = await open('UTC')
        await spend(startMs)
        await limit('account', 5n * eachNano, startMs + hourMs, 'totalNano')
        await spend(startMs + 2 * hourMs)
        await ledger.close()
        world.ledgers.pop()
        await sql`UPDATE budget_counter SET counted_for = NULL, spent_nano = spent_nano - earlier_nano,
          available_nano = available_nano + earlier_nano, earlier_nano = 0`.execute(world.engine.db)
        const next = await world.process('next')
        expect(await admitted(world, next, 'k')).toBe(3)
        await world.close()
      },
      timeoutMs,
    )

    test(
      'spending before the limit was set can reach its alert amount, once',
      async () => {
        const { world, ledger, startMs, spend } = await open('UTC')
        for (let hour = 1; hour < 6; hour += 1) await spend(startMs + hour * hourMs)
        const setMs = startMs + 9 * hourMs
        await world.setClock(setMs)
        await world.limitKey({ dailyNano: 5n * eachNano, budgetAlertPercent: 80 }, setMs)
        expect((await ledger.reserve(world.request())).ok).toBe(false)
        for (const turn of [1, 2]) {
          await recountEarlier(world.engine, setMs + turn * 60_000)
          const crossings = await world.engine.db
            .selectFrom('budget_crossing')
            .selectAll()
            .execute()
          expect(crossings).toMatchObject([
            { alert_nano: 4n * eachNano, spent_nano: 5n * eachNano },
          ])
        }
        await world.close()
      },
      timeoutMs,
    )
  },
)
