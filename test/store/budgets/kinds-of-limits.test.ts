import { describe, expect, test } from 'bun:test'
import { changeAccount } from '../../../src/accounts/account-store.ts'
import type { AccountPatch } from '../../../src/accounts/definition/account.ts'
import { recountEarlier } from '../../../src/ledger/budgets/earlier-spending.ts'
import type { Hold } from '../../../src/ledger/ledger.ts'
import { write } from '../../../src/store/changes/write.ts'
import { sharedFixtures } from '../../support/store/engine-fixture.ts'
import { holdOf } from '../ledger/ledger-helpers.ts'
import { BudgetWorld, dayMs, eachNano, midnightMs, settle, timeoutMs } from './budget-world.ts'

/* A change of one kind of limit leaves the others as they are, with everything that requests in flight hold. */

const owners = ['key', 'member', 'account'] as const
type Owner = (typeof owners)[number]
const noonMs = midnightMs + dayMs / 2
const limitNano = 4n * eachNano
const plenty = 1_000n * eachNano
/** The limit that stays; the others come and go. */
const daily: AccountPatch = { dailyNano: limitNano, budgetZone: 'Europe/Paris', budgetMonthDay: 1 }
const none: AccountPatch = { ...daily, totalNano: null, weeklyNano: null, monthlyNano: null }

const changes: readonly {
  readonly name: string
  readonly before: AccountPatch
  readonly steps: readonly AccountPatch[]
}[] = [
  { name: 'a monthly limit is added', before: none, steps: [{ ...none, monthlyNano: plenty }] },
  { name: 'a weekly limit is added', before: none, steps: [{ ...none, weeklyNano: plenty }] },
  {
    name: 'a monthly limit is removed and set again',
    before: { ...none, monthlyNano: plenty },
    steps: [none, { ...none, monthlyNano: plenty }],
  },
  {
    name: 'months begin on another day',
    before: { ...none, monthlyNano: plenty },
    steps: [{ ...none, monthlyNano: plenty, budgetMonthDay: 31 }],
  },
  {
    name: 'the time zone changes to one with the same days',
    before: none,
    steps: [{ ...none, budgetZone: 'Europe/Berlin' }],
  },
  {
    name: 'the time zone changes and changes back',
    before: none,
    steps: [{ ...none, budgetZone: 'Asia/Tokyo' }, none],
  },
  {
    name: 'the limit itself is removed and set again',
    before: none,
    steps: [{ ...none, dailyNano: null }, none],
  },
]
const totals: typeof changes = [
  { name: 'a total is added', before: none, steps: [{ ...none, totalNano: plenty }] },
  {
    name: 'a total is removed and set again',
    before: { ...none, totalNano: plenty },
    steps: [none, { ...none, totalNano: plenty }],
  },
]

describe.each(sharedFixtures('kinds-of-limits'))('other kinds of limits on $kind', (fixture) => {
  async function open(owner: Owner) {
    const world = new BudgetWorld(await fixture.openMigrated())
    await world.open(noonMs)
    await world.limitMember('u', {})
    await world.addKey('mine', 'u')
    let atMs = noonMs - 60_000
    const limit = async (limits: AccountPatch): Promise<void> => {
      atMs += 1_000
      const { totalNano: _total, ...ofKey } = limits
      if (owner === 'key') await world.limitKey(ofKey, atMs, 'mine')
      if (owner === 'member') await world.limitMember('u', limits, atMs)
      if (owner !== 'account') return
      await write(world.engine, atMs, (writing) => changeAccount(writing, 'acme', limits))
      world.tell('account', 'acme')
    }
    const wish = () => world.request({ keyId: 'mine', userId: 'u', waitsFor: 'nothing' })
    return { world, limit, wish }
  }

  const rows = owners.flatMap((owner) =>
    [...changes, ...(owner === 'key' ? [] : totals)].map((change) => ({ owner, ...change })),
  )
  test.each(rows)(
    'the $owner has a limit for a day, and $name: requests in flight still hold their money',
    async ({ owner, before, steps }) => {
      const { world, limit, wish } = await open(owner)
      await limit(before)
      const ledgers = [
        await world.process('one'),
        await world.process('two'),
        await world.process('three'),
      ]
      const holds: Hold[] = []
      for (const ledger of ledgers) holds.push(holdOf(await ledger.reserve(wish())))
      for (const step of steps) await limit(step)
      let admitted = 0
      for (const ledger of [...ledgers, ...ledgers.slice(1)]) {
        const verdict = await ledger.reserve(wish())
        if (!verdict.ok) {
          expect(verdict.refusal.reason).toBe('quota_in_flight')
          continue
        }
        admitted += 1
        holds.push(verdict.hold)
      }
      // Money for four, and three were running.
      expect(admitted).toBe(1)
      for (const hold of holds) settle(hold)
      await Promise.all(ledgers.map((ledger) => ledger.shipped()))
      for (const ledger of ledgers) expect((await ledger.reserve(wish())).ok).toBe(false)
      await recountEarlier(world.engine, noonMs)
      await world.close()
      const days = (await world.counters()).filter(({ limit_nano }) => limit_nano === limitNano)
      // The zone that was chosen for a moment may have left a counter of its own.
      expect(days.filter(({ spent_nano }) => spent_nano > 0n)).toMatchObject([
        { period: 'day', spent_nano: limitNano, available_nano: 0n },
      ])
    },
    timeoutMs,
  )
})
