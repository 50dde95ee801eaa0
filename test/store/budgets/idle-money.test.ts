import { describe, expect, test } from 'bun:test'
import { changeAccount } from '../../../src/accounts/account-store.ts'
import type { LeaseLedger } from '../../../src/ledger/leases/lease-ledger.ts'
import { write } from '../../../src/store/changes/write.ts'
import { sharedFixtures } from '../../support/store/engine-fixture.ts'
import { holdOf } from '../ledger/ledger-helpers.ts'
import { BudgetWorld, eachNano, midnightMs, settle, timeoutMs } from './budget-world.ts'

const bystanders = ['s1', 's2', 's3']

describe.each(sharedFixtures('idle-money'))('idle money of other keys on $kind', (fixture) => {
  /** Keys of two members, and service keys with a lease that they do not use now. */
  async function openWorld(): Promise<{ world: BudgetWorld; ledger: LeaseLedger }> {
    const world = new BudgetWorld(await fixture.openMigrated())
    await world.open(midnightMs + 1)
    for (const user of ['u', 'v']) await world.limitMember(user, {})
    for (const [id, owner] of [
      ['u1', 'u'],
      ['u2', 'u'],
      ['v1', 'v'],
    ] as const)
      await world.addKey(id, owner)
    for (const id of bystanders) await world.addKey(id, null)
    return { world, ledger: await world.process('r') }
  }

  async function openLeases(world: BudgetWorld, ledger: LeaseLedger) {
    for (const keyId of bystanders) settle(holdOf(await ledger.reserve(world.request({ keyId }))))
    await ledger.shipped()
    const leases = await leasesOf(world)
    expect(leases).toHaveLength(bystanders.length)
    return leases
  }

  const leasesOf = (world: BudgetWorld) =>
    world.engine.db
      .selectFrom('lease')
      .select(['id', 'key_id', 'granted_nano'])
      .where('key_id', 'in', bystanders)
      .orderBy('key_id')
      .execute()

  const limits = [
    ['the quota of its key', (world: BudgetWorld) => world.limitKey({ quotaNano: 10n }, 1, 'u1')],
    ['a budget of its key', (world: BudgetWorld) => world.limitKey({ dailyNano: 10n }, 1, 'u1')],
    ['a budget of its member', (world: BudgetWorld) => world.limitMember('u', { totalNano: 10n })],
  ] as const
  const waits = [{}, { waitsFor: 'nothing' }, { waitsFor: 'in-flight' }] as const

  test.each(limits)(
    'stays where it is when %s is spent',
    async (_, limit) => {
      const { world, ledger } = await openWorld()
      await limit(world)
      const ask = () => ledger.reserve(world.request({ keyId: 'u1', userId: 'u' }))
      const before = await openLeases(world, ledger)
      settle(holdOf(await ask()))
      for (let count = 0; count < 3; count += 1)
        expect(await ask()).toMatchObject({
          refusal: { reason: expect.stringContaining('exhausted') },
        })
      expect(await leasesOf(world)).toEqual(before)
      await world.close()
    },
    timeoutMs,
  )

  test.each(limits)(
    'stays where it is while a request in flight holds %s',
    async (_, limit) => {
      const { world, ledger } = await openWorld()
      await limit(world)
      const before = await openLeases(world, ledger)
      const request = { keyId: 'u1', userId: 'u' }
      const running = holdOf(await ledger.reserve(world.request(request)))
      for (const waitsFor of waits)
        expect(await ledger.reserve(world.request({ ...request, ...waitsFor }))).toMatchObject({
          refusal: { reason: 'quota_in_flight' },
        })
      expect(await running.extend(eachNano)).toBe(false)
      expect(await leasesOf(world)).toEqual(before)
      settle(running)
      await world.close()
    },
    timeoutMs,
  )

  test(
    'of the same member is used, and that of others is not touched',
    async () => {
      const { world, ledger } = await openWorld()
      await world.limitMember('u', { dailyNano: 30n })
      const before = await openLeases(world, ledger)
      const ask = (keyId: string, amountNano: bigint) =>
        ledger.reserve(world.request({ keyId, userId: 'u', amountNano }))
      settle(holdOf(await ask('u2', 10n)), 1n)
      settle(holdOf(await ask('u1', 29n)))
      expect(await leasesOf(world)).toEqual(before)
      await world.close()
    },
    timeoutMs,
  )

  test(
    'is used when the account has too little, also by a key with a budget of its own',
    async () => {
      const { world, ledger } = await openWorld()
      await world.limitKey({ dailyNano: 900n }, 1, 'u1')
      await write(world.engine, 1, (w) => changeAccount(w, 'acme', { totalNano: 850n }))
      world.tell('account', 'acme')
      for (const keyId of bystanders)
        settle(holdOf(await ledger.reserve(world.request({ keyId, amountNano: 100n }))), 0n)
      const ask = (amountNano: bigint) =>
        ledger.reserve(world.request({ keyId: 'u1', userId: 'u', amountNano }))
      expect(await ask(851n)).toMatchObject({
        refusal: { reason: 'account_budget_exhausted', affordableNano: 850n },
      })
      for (const keyId of bystanders)
        settle(holdOf(await ledger.reserve(world.request({ keyId, amountNano: 100n }))), 0n)
      settle(holdOf(await ask(850n)), 850n)
      await world.close()
    },
    timeoutMs,
  )
})
