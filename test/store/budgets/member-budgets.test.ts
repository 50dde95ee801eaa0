import { describe, expect, test } from 'bun:test'
import { sql } from 'kysely'
import { sharedFixtures } from '../../support/store/engine-fixture.ts'
import { failureOf } from '../../support/store/failure-of.ts'
import { holdOf } from '../ledger/ledger-helpers.ts'
import { BudgetWorld, dayMs, midnightMs, settle, timeoutMs } from './budget-world.ts'

const noonMs = midnightMs + dayMs / 2

describe.each(sharedFixtures('member-budgets'))('budgets of members on $kind', (fixture) => {
  async function openWorld(): Promise<BudgetWorld> {
    const world = new BudgetWorld(await fixture.openMigrated())
    await world.open(noonMs)
    return world
  }

  const spentBy = async (world: BudgetWorld): Promise<Record<string, bigint>> =>
    Object.fromEntries(
      (await world.counters()).map((each) => [each.owner_id, each.spent_nano] as const),
    )

  test(
    'a cap holds across the keys of the member; service keys and other members are not counted',
    async () => {
      const world = await openWorld()
      await world.limitMember('u', { dailyNano: 30n })
      await world.limitMember('v', { dailyNano: 20n })
      for (const [id, owner] of [
        ['u1', 'u'],
        ['u2', 'u'],
        ['v1', 'v'],
        ['s1', null],
      ] as const)
        await world.addKey(id, owner)
      const ledger = await world.process('r')
      const ask = (keyId: string, userId?: string) =>
        ledger.reserve(world.request({ keyId, userId }))
      const refused = { ok: false, refusal: { reason: 'member_budget_exhausted' } }
      settle(holdOf(await ask('u1', 'u')))
      settle(holdOf(await ask('u2', 'u')))
      settle(holdOf(await ask('v1', 'v')))
      settle(holdOf(await ask('u2', 'u')))
      expect(await ask('u1', 'u')).toMatchObject(refused)
      expect(await ask('u2', 'u')).toMatchObject(refused)
      for (let count = 0; count < 5; count += 1) settle(holdOf(await ask('s1')))
      settle(holdOf(await ask('v1', 'v')))
      expect(await ask('v1', 'v')).toMatchObject(refused)
      await world.close()
      expect(await spentBy(world)).toEqual({ u: 30n, v: 20n })
    },
    timeoutMs,
  )

  test(
    'the tightest of key, member and account decides, and its owner is named',
    async () => {
      const world = await openWorld()
      await world.limitMember('u', { dailyNano: 20n, totalNano: 50n })
      await world.limitKey({ dailyNano: 30n })
      const ledger = await world.process('r')
      const ask = () => ledger.reserve(world.request({ userId: 'u' }))
      for (let count = 0; count < 2; count += 1) settle(holdOf(await ask()))
      expect(await ask()).toMatchObject({ refusal: { reason: 'member_budget_exhausted' } })
      await world.limitMember('u', { dailyNano: null })
      settle(holdOf(await ask()))
      expect(await ask()).toMatchObject({ refusal: { reason: 'key_quota_exhausted' } })
      await world.limitKey({ dailyNano: null })
      for (let count = 0; count < 2; count += 1) settle(holdOf(await ask()))
      expect(await ask()).toMatchObject({
        refusal: { reason: 'member_budget_exhausted', budget: { period: 'total' } },
      })
      await world.close()
    },
    timeoutMs,
  )

  test(
    'a request is charged to the member under whom it was admitted, whoever owns the key when it ends',
    async () => {
      const world = await openWorld()
      await world.limitMember('u', { dailyNano: 30n })
      await world.limitMember('v', { dailyNano: 30n })
      const ledger = await world.process('r')
      const ofU = holdOf(await ledger.reserve(world.request({ userId: 'u' })))
      const ofV = holdOf(await ledger.reserve(world.request({ userId: 'v' })))
      const ofAccount = holdOf(await ledger.reserve(world.request()))
      // The money of one owner never pays for another.
      expect(await ofU.extend(20n)).toBe(true)
      expect(await ofU.extend(1n)).toBe(false)
      expect(await ofAccount.extend(100n)).toBe(true)
      settle(ofV)
      settle(ofAccount, 110n)
      settle(ofU, 30n)
      expect((await ledger.reserve(world.request({ userId: 'u' }))).ok).toBe(false)
      settle(holdOf(await ledger.reserve(world.request({ userId: 'v' }))))
      await world.close()
      expect(await spentBy(world)).toEqual({ u: 30n, v: 20n })
    },
    timeoutMs,
  )

  test(
    'a member who leaves gets no money without limits, also before the process has heard of it',
    async () => {
      const world = await openWorld()
      await world.limitMember('u', { dailyNano: 30n })
      const ledger = await world.process('r')
      const ask = () => ledger.reserve(world.request({ userId: 'u' }))
      const running = holdOf(await ask())
      await world.removeMember('u')
      expect(await failureOf(Promise.resolve(ask()))).toContain('is not a member')
      // The request under way ends under the limits that it began with.
      settle(running)
      await world.limitMember('u', {})
      for (let count = 0; count < 2; count += 1) settle(holdOf(await ask()))
      expect(await ask()).toMatchObject({ refusal: { reason: 'member_budget_exhausted' } })
      await world.close()
      expect(await spentBy(world)).toEqual({ u: 30n })
    },
    timeoutMs,
  )

  test(
    'the limits of a member do not apply to another with as many changes',
    async () => {
      const world = await openWorld()
      await world.limitMember('u', { dailyNano: 10n })
      await world.limitMember('v', { dailyNano: 100n })
      const ledger = await world.process('r')
      settle(holdOf(await ledger.reserve(world.request({ userId: 'u' }))))
      for (let count = 0; count < 10; count += 1)
        settle(holdOf(await ledger.reserve(world.request({ userId: 'v' }))))
      expect((await ledger.reserve(world.request({ userId: 'v' }))).ok).toBe(false)
      expect((await ledger.reserve(world.request({ userId: 'u' }))).ok).toBe(false)
      await world.close()
    },
    timeoutMs,
  )

  test(
    'a process that learns of a change only with its next grant applies it, and counts the spent amount',
    async () => {
      const world = await openWorld()
      await world.limitMember('u', { monthlyNano: 30n })
      const ledger = await world.process('r')
      const ask = () => ledger.reserve(world.request({ userId: 'u' }))
      for (let count = 0; count < 3; count += 1) settle(holdOf(await ask()))
      expect((await ask()).ok).toBe(false)
      const { ledgers } = world
      const told = ledgers.splice(0)
      await world.limitMember('u', { monthlyNano: 50n })
      ledgers.push(...told)
      for (let count = 0; count < 2; count += 1) settle(holdOf(await ask()))
      expect((await ask()).ok).toBe(false)
      await world.limitMember('u', { monthlyNano: 20n })
      expect(await ask()).toMatchObject({ refusal: { reason: 'member_budget_exhausted' } })
      await world.close()
      expect((await world.counters())[0]).toMatchObject({ limit_nano: 20n, available_nano: -30n })
    },
    timeoutMs,
  )

  test(
    'a member who was removed and comes back has the new limits, and the spending of the period',
    async () => {
      const world = await openWorld()
      await world.limitMember('u', { dailyNano: 50n })
      const ledger = await world.process('r')
      const ask = () => ledger.reserve(world.request({ userId: 'u' }))
      for (let count = 0; count < 2; count += 1) settle(holdOf(await ask()))
      await ledger.shipped()
      await world.removeMember('u')
      await world.limitMember('u', { dailyNano: 30n })
      settle(holdOf(await ask()))
      expect(await ask()).toMatchObject({ refusal: { reason: 'member_budget_exhausted' } })
      await world.close()
      expect((await world.counters())[0]).toMatchObject({ limit_nano: 30n, spent_nano: 30n })
    },
    timeoutMs,
  )

  test(
    'a replica of an earlier version gets no lease where a budget of a member applies',
    async () => {
      const world = await openWorld()
      await world.limitMember('u', {})
      await world.addKey('u1', 'u')
      await world.addKey('s1', null)
      const old = (id: string, keyId: string) =>
        sql`INSERT INTO lease (id, replica, epoch, account_id, key_id, granted_nano, used_nano, version, created_at,
        reclaim_at) VALUES (${id}, 'old', 1, 'acme', ${keyId}, 0, 0, 1, 1, 1)`.execute(
          world.engine.db,
        )
      await old('before', 'u1')
      await world.limitMember('u', { weeklyNano: 50n })
      await old('limited', 'u1')
      await old('service', 's1')
      const leases = await world.engine.db.selectFrom('lease').select('id').orderBy('id').execute()
      expect(leases).toEqual([{ id: 'before' }, { id: 'service' }])
    },
    timeoutMs,
  )
})
