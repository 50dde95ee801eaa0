import { expect, test } from 'bun:test'
import { putMember } from '../../../src/accounts/member-store.ts'
import { readRules } from '../../../src/ledger/budgets/read-rules.ts'
import { write } from '../../../src/store/changes/write.ts'
import { sharedFixtures } from '../../support/store/engine-fixture.ts'
import { addAccount } from '../../support/store/row-helpers.ts'
import { timeoutMs } from './budget-world.ts'
import { hourMs, openSpending } from './open-spending.ts'

/* Until the next grant, no counter has a limit that was set. What is shown and forecast already follows it. */

const fixtures = sharedFixtures('limits-before-use')

const changes = [
  { name: 'raised', first: 50n, isSetAgain: false, next: 70n },
  { name: 'lowered', first: 50n, isSetAgain: false, next: 25n },
  { name: 'lowered below the spending', first: 50n, isSetAgain: false, next: 15n },
  { name: 'removed and set again', first: 50n, isSetAgain: true, next: 50n },
  { name: 'set for the first time', first: null, isSetAgain: true, next: 50n },
] as const
const rows = fixtures.flatMap((fixture) =>
  changes.map((change) => [change.name, fixture.kind, fixture, change] as const),
)

test.each(rows)(
  'a limit that was %s on %s is forecast with what was spent, before anything is granted',
  async (_name, _kind, fixture, { first, isSetAgain, next }) => {
    const { world, ledger, startMs, spend, limit, shown } = await openSpending(fixture, 'UTC')
    const payer = { accountId: 'acme', keyId: 'k' }
    const affordable = async () =>
      (await ledger.forecastHold(payer)).refusalOf(1_000n)?.affordableNano
    if (first !== null) await limit('key', first, startMs + hourMs)
    await spend(startMs + 2 * hourMs)
    if (isSetAgain) await limit('key', null, startMs + 3 * hourMs)
    await spend(startMs + 4 * hourMs)
    if (isSetAgain) await spend(startMs + 5 * hourMs)
    const before = await world.counters()
    await limit('key', next, startMs + 6 * hourMs)
    const spentNano = isSetAgain ? 30n : 20n
    expect(await affordable()).toBe(next - spentNano)
    expect(await shown('key', next, startMs + 6 * hourMs)).toEqual([spentNano])
    expect(await world.counters()).toEqual(before)
    const verdict = await ledger.reserve(world.request({ amountNano: 1_000n }))
    expect(verdict.ok || verdict.refusal.affordableNano).toBe(next - spentNano)
    await world.close()
  },
  timeoutMs,
)

const boundaries = fixtures.map((fixture) => [fixture.kind, fixture] as const)

test.each(boundaries)(
  'the first request of a period counts, and the last one of the former period does not, on %s',
  async (_, fixture) => {
    const { world, startMs, spend, limit, shown } = await openSpending(fixture, 'Asia/Kathmandu')
    const hourStartMs = Math.ceil(startMs / hourMs) * hourMs
    for (const atMs of [startMs - 1, startMs, hourStartMs - 1, hourStartMs]) await spend(atMs)
    await limit('key', 50n, startMs + 2 * hourMs)
    expect(await shown('key', 50n, startMs + 2 * hourMs)).toEqual([30n])
    await world.close()
  },
  timeoutMs,
)

test.each(boundaries)(
  'a member of two accounts has the limits of each account there only, on %s',
  async (_, fixture) => {
    const { world, startMs } = await openSpending(fixture, 'UTC')
    const { engine } = world
    await addAccount(engine, 'other')
    const member = { userId: 'u', accountId: 'other', dailyNano: 5n }
    await write(engine, startMs, (writing) => putMember(writing, member))
    const { owners } = await readRules(engine, { accountId: 'acme', keyId: 'mine', userId: 'u' })
    const limits = owners.filter(({ owner }) => owner.kind === 'member')
    expect(limits).toMatchObject([{ owner: { accountId: 'acme' }, limits: { dailyNano: null } }])
    await world.close()
  },
  timeoutMs,
)
