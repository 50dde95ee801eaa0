import { describe, expect, test } from 'bun:test'
import { BudgetZoneUnknown } from '../../../src/ledger/ledger.ts'
import { sharedFixtures } from '../../support/store/engine-fixture.ts'
import { eachNano, timeoutMs } from './budget-world.ts'
import { admitted, hourMs, keyOf, openSpending, owners } from './open-spending.ts'

/*
 * A replica with other time zone data, or another version, has set a budget in a time zone that this one does not know.
 * What such a budget governs is refused, and nothing else.
 */

const unknown = 'Mars/Olympus'
const others = { key: ['mine'], member: ['k'], account: [] } as const
const errorOf = (work: unknown) =>
  Promise.resolve(work).then(
    () => undefined,
    (error: unknown) => error,
  )

describe.each(sharedFixtures('unknown-zones'))('an unknown time zone on $kind', (fixture) => {
  const open = async () => {
    const opened = await openSpending(fixture, 'UTC')
    const { world, limit } = opened
    const payerOf = (keyId: string) => ({
      accountId: 'acme',
      keyId,
      ...(keyId === 'k' ? {} : { userId: 'u' }),
    })
    const request = (keyId: string) => world.request(payerOf(keyId))
    const lose = (owner: (typeof owners)[number], nano: bigint | null, atMs: number) =>
      limit(owner, nano, atMs, 'dailyNano', unknown)
    return { ...opened, payerOf, request, lose }
  }

  test.each(owners)(
    'of the %s refuses what its budget governs, until it is replaced',
    async (owner) => {
      const { world, ledger, startMs, spend, limit, lose, payerOf, request } = await open()
      const keyId = keyOf[owner]
      await limit(owner, 50n, startMs + hourMs)
      for (let hour = 1; hour < 3; hour += 1) await spend(startMs + hour * hourMs, keyId)
      await lose(owner, 50n, startMs + 3 * hourMs)
      const started = await world.process('started-later')
      for (const process of [ledger, started]) {
        const refusals = [
          await errorOf(process.reserve(request(keyId))),
          await errorOf(process.reserve({ ...request(keyId), waitsFor: 'in-flight' })),
          await errorOf(process.forecastHold(payerOf(keyId))),
        ]
        for (const refusal of refusals) {
          expect(refusal).toBeInstanceOf(BudgetZoneUnknown)
          expect(refusal).toMatchObject({ zone: unknown, owner: { kind: owner } })
        }
        for (const other of others[owner])
          expect(await admitted(world, process, other)).toBeGreaterThan(0)
      }
      await limit(owner, 50n, startMs + 4 * hourMs)
      // Two of five requests were admitted before.
      expect((await admitted(world, ledger, keyId)) + (await admitted(world, started, keyId))).toBe(
        3,
      )
      await world.close()
    },
    timeoutMs,
  )

  test(
    'that is replaced is found by the next request, before the change was announced',
    async () => {
      const { world, ledger, startMs, lose, request } = await open()
      await lose('key', 50n, startMs + hourMs)
      expect(await errorOf(ledger.reserve(request('k')))).toBeInstanceOf(BudgetZoneUnknown)
      world.ledgers.splice(0)
      await world.limitKey({ dailyNano: 50n, budgetZone: 'UTC' }, startMs + 2 * hourMs)
      world.ledgers.push(ledger)
      expect(await admitted(world, ledger, 'k')).toBe(5)
      await world.close()
    },
    timeoutMs,
  )

  test(
    'leaves requests in flight their money, and new requests get none of it',
    async () => {
      const { world, ledger, startMs, begin, limit, lose, request } = await open()
      await limit('key', 50n, startMs + hourMs)
      const { hold, end } = await begin(startMs + 2 * hourMs)
      await lose('key', 50n, startMs + 3 * hourMs)
      expect(await errorOf(ledger.reserve(request('k')))).toBeInstanceOf(BudgetZoneUnknown)
      expect(await hold.extend(eachNano)).toBe(true)
      end()
      await ledger.shipped()
      expect(await errorOf(ledger.reserve(request('k')))).toBeInstanceOf(BudgetZoneUnknown)
      await limit('key', 50n, startMs + 4 * hourMs)
      expect(await admitted(world, ledger, 'k')).toBe(4)
      await world.close()
    },
    timeoutMs,
  )

  test(
    'without a limit by period changes nothing',
    async () => {
      const { world, ledger, startMs, limit, request } = await open()
      await limit('key', null, startMs + hourMs, 'dailyNano', unknown)
      await limit('member', 20n, startMs + hourMs, 'totalNano', unknown)
      await limit('account', 60n, startMs + hourMs, 'totalNano', unknown)
      expect(await admitted(world, ledger, 'mine')).toBe(2)
      expect(await admitted(world, ledger, 'k')).toBe(4)
      expect(await ledger.reserve(request('k'))).toMatchObject({
        refusal: { reason: 'account_budget_exhausted' },
      })
      await world.close()
    },
    timeoutMs,
  )
})
