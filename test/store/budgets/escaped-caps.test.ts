import { describe, expect, test } from 'bun:test'
import { changeAccount } from '../../../src/accounts/account-store.ts'
import { createUser } from '../../../src/accounts/create-user.ts'
import type { GivenLimits } from '../../../src/accounts/definition/member.ts'
import { followGroups } from '../../../src/accounts/follow-groups.ts'
import { acceptInvitation, endMember, invite } from '../../../src/accounts/invitations.ts'
import { putMember, putMembershipsOf, removeMember } from '../../../src/accounts/member-store.ts'
import { removeLogin } from '../../../src/accounts/remove-login.ts'
import { changeLogin } from '../../../src/accounts/user-store.ts'
import { newRequestId } from '../../../src/core/id.ts'
import { deleteKey } from '../../../src/keys/delete-key.ts'
import { makeServiceKey } from '../../../src/keys/make-service-key.ts'
import { type Writing, write } from '../../../src/store/changes/write.ts'
import { sharedFixtures } from '../../support/store/engine-fixture.ts'
import { tools as keyTools } from '../../support/store/row-helpers.ts'
import { usageRow } from '../../support/store/usage-row.ts'
import { holdOf } from '../ledger/ledger-helpers.ts'
import { BudgetWorld, dayMs, eachNano, midnightMs, settle, timeoutMs } from './budget-world.ts'

const accountId = 'acme'
const email = 'ann@example.com'
const noonMs = midnightMs + dayMs / 2
const laterMs = noonMs + 60_000
const tools = { ...keyTools, nowMs: noonMs, madeBy: 'u_owner' }
const mayGive = async () => true
const proven = { email, role: 'member', proof: 'operator' } as const

/** The person may make three requests a day, and has made two. Returns the login of the person afterwards. */
type Attack = (writing: Writing, userId: string) => Promise<string>

const rejoin = async (writing: Writing, userId: string): Promise<string> => {
  await putMember(writing, { userId, accountId, role: 'member' })
  return userId
}
const convertKeys = async (writing: Writing, ownerId: string): Promise<void> => {
  const keys = await writing.tx
    .selectFrom('api_key')
    .select('id')
    .where('owner_user_id', '=', ownerId)
    .execute()
  for (const { id } of keys) await makeServiceKey(writing, keyTools, id)
}
/** The person leaves, the keys become service keys, the person joins again, and the limits are changed. */
const leaveWithServiceKeys =
  (...changes: readonly GivenLimits[]): Attack =>
  async (writing, userId) => {
    await removeMember(writing, { userId, accountId })
    await convertKeys(writing, userId)
    await rejoin(writing, userId)
    for (const each of changes) await putMember(writing, { userId, accountId, ...each })
    return userId
  }

const attacks: Readonly<Record<string, Attack>> = {
  'leaves and joins again': async (writing, userId) => {
    await removeMember(writing, { userId, accountId })
    return rejoin(writing, userId)
  },
  'leaves twice': async (writing, userId) => {
    for (let times = 0; times < 2; times += 1) {
      await removeMember(writing, { userId, accountId })
      await rejoin(writing, userId)
    }
    return userId
  },
  'leaves, the keys become service keys, and joins again': async (writing, userId) => {
    await removeMember(writing, { userId, accountId })
    await convertKeys(writing, userId)
    return rejoin(writing, userId)
  },
  'leaves, the keys become service keys, and the limit moves to another time zone':
    leaveWithServiceKeys({ budgetZone: 'Pacific/Kiritimati' }),
  'leaves, the keys become service keys, and the months begin on another day': leaveWithServiceKeys(
    { budgetMonthDay: 11 },
  ),
  'leaves, the keys become service keys, and the limit is removed and set again':
    leaveWithServiceKeys({ dailyNano: null }, { dailyNano: 30n }),
  'the login is deleted, the keys become service keys, and a new one has the same address': async (
    writing,
    userId,
  ) => {
    await removeLogin(writing, userId)
    await convertKeys(writing, userId)
    return rejoin(writing, await createUser(writing, keyOptions, proven))
  },
  'leaves and is added again with the same limit': async (writing, userId) => {
    await removeMember(writing, { userId, accountId })
    await putMember(writing, { userId, accountId, dailyNano: 30n, requestsPerMinute: 7 })
    return userId
  },
  'loses the group at the identity provider, and gets it again': async (writing, userId) => {
    const follower = { userId, email, nowMs: noonMs }
    await putMember(writing, { userId, accountId, source: 'open-id' })
    await followGroups(writing, follower, new Map())
    await followGroups(writing, follower, new Map([[accountId, 'member']]))
    return userId
  },
  'leaves, and a group at the identity provider adds the person': async (writing, userId) => {
    const follower = { userId, email, nowMs: noonMs }
    await removeMember(writing, { userId, accountId })
    await followGroups(writing, follower, new Map([[accountId, 'member']]))
    return userId
  },
  'an operator removes all memberships, and sets them again': async (writing, userId) => {
    await putMembershipsOf(writing, userId, [])
    await putMembershipsOf(writing, userId, [{ accountId, role: 'member' }])
    return userId
  },
  'the login is deleted, and a new one has the same address': async (writing, userId) => {
    await removeLogin(writing, userId)
    return rejoin(writing, await createUser(writing, keyOptions, proven))
  },
  'the login is deleted twice': async (writing, userId) => {
    await removeLogin(writing, userId)
    const second = await rejoin(writing, await createUser(writing, keyOptions, proven))
    await removeLogin(writing, second)
    return rejoin(writing, await createUser(writing, keyOptions, proven))
  },
  'the login is deleted, and the address is invited': async (writing, userId) => {
    await removeLogin(writing, userId)
    return (await invite(writing, tools, { accountId, email, role: 'member' })).userId
  },
  'leaves, is invited, and accepts': async (writing, userId) => {
    await removeMember(writing, { userId, accountId })
    await invite(writing, tools, { accountId, email, role: 'member' })
    await acceptInvitation(writing, { userId, email, accountId }, mayGive)
    return userId
  },
  'becomes a viewer, then a member': async (writing, userId) => {
    await putMember(writing, { userId, accountId, role: 'viewer' })
    return rejoin(writing, userId)
  },
  'is suspended, then not': async (writing, userId) => {
    await changeLogin(writing, userId, { isSuspended: true })
    await changeLogin(writing, userId, { isSuspended: false })
    return userId
  },
  'deletes all keys, and creates others': async (writing, userId) => {
    const keys = await writing.tx
      .selectFrom('api_key')
      .select('id')
      .where('owner_user_id', '=', userId)
      .execute()
    for (const { id } of keys) await deleteKey(writing, id, noonMs)
    return userId
  },
  'the limit moves to another time zone': async (writing, userId) => {
    await putMember(writing, { userId, accountId, budgetZone: 'Pacific/Kiritimati' })
    return userId
  },
  'the limit is removed and set again': async (writing, userId) => {
    await putMember(writing, { userId, accountId, dailyNano: null })
    await putMember(writing, { userId, accountId, dailyNano: 30n })
    return userId
  },
}

const keyOptions = { random: keyTools.random, nowMs: noonMs }

const acceptWithOther = async (writing: Writing): Promise<string> => {
  const userId = await createUser(writing, keyOptions, proven)
  await acceptInvitation(writing, { userId, email, accountId }, mayGive)
  return userId
}

/** The same person as an invited login, whose address is not verified. */
const invitedAttacks: Readonly<Record<string, Attack>> = {
  'accepts the invitation with a login of the same address': acceptWithOther,
  'joins with a login of the same address, without the invitation': async (writing) =>
    rejoin(writing, await createUser(writing, keyOptions, proven)),
  'leaves, the keys become service keys, and joins with a login of the same address': async (
    writing,
    userId,
  ) => {
    await endMember(writing, { userId, accountId })
    await convertKeys(writing, userId)
    return rejoin(writing, await createUser(writing, keyOptions, proven))
  },
  'the keys become service keys, and the invitation is accepted by another login': async (
    writing,
    userId,
  ) => {
    await convertKeys(writing, userId)
    return acceptWithOther(writing)
  },
  'leaves, and is invited again': async (writing, userId) => {
    await endMember(writing, { userId, accountId })
    return (await invite(writing, tools, { accountId, email, role: 'member' })).userId
  },
  'leaves, and joins with a login of the same address': async (writing, userId) => {
    await endMember(writing, { userId, accountId })
    return rejoin(writing, await createUser(writing, keyOptions, proven))
  },
}

describe.each(sharedFixtures('escaped-caps'))('the limits of a member on $kind', (fixture) => {
  async function open(isInvited: boolean) {
    const world = new BudgetWorld(await fixture.openMigrated())
    await world.open(noonMs)
    const limits = { dailyNano: 30n, requestsPerMinute: 7 }
    const { engine } = world
    const userId = await write(engine, noonMs - dayMs, async (writing) => {
      if (isInvited)
        return (await invite(writing, tools, { accountId, email, role: 'member', ...limits }))
          .userId
      const id = await createUser(writing, keyOptions, proven)
      await putMember(writing, { userId: id, accountId, ...limits })
      return id
    })
    await world.addKey('mine', userId)
    const ledger = await world.process('r')
    const ask = async (atMs: number, keyId: string, ownerId: string) => {
      const requestId = newRequestId(atMs)
      return {
        requestId,
        verdict: await ledger.reserve(world.request({ requestId, keyId, userId: ownerId })),
      }
    }
    const spend = async (atMs: number, keyId: string, ownerId: string): Promise<void> => {
      const { requestId, verdict } = await ask(atMs, keyId, ownerId)
      const records = usageRow({ requestId, at: atMs, accountId, keyId, costNano: eachNano })
      settle(holdOf(verdict), eachNano, records)
      await ledger.shipped()
    }
    for (let count = 0; count < 2; count += 1) await spend(noonMs + count, 'mine', userId)
    return { world, ledger, userId, ask, spend }
  }

  test.each([
    ...Object.entries(attacks).map(([name, attack]) => ({ name, attack, isInvited: false })),
    ...Object.entries(invitedAttacks).map(([name, attack]) => ({
      name: `an invited person: ${name}`,
      attack,
      isInvited: true,
    })),
  ])(
    '$name: what is spent still counts, and the limits hold',
    async ({ attack, isInvited }) => {
      const { world, ledger, userId, ask, spend } = await open(isInvited)
      const { engine } = world
      await world.setClock(laterMs)
      const after = await write(engine, laterMs, (writing) => attack(writing, userId))
      ledger.apply([{ seq: 1, topic: 'account', subject: accountId }])
      const membership = await engine.db
        .selectFrom('membership')
        .selectAll()
        .where('user_id', '=', after)
        .executeTakeFirst()
      expect(membership).toMatchObject({ daily_nano: 30n, requests_per_minute: 7 })
      await world.addKey('next', after)
      await spend(laterMs, 'next', after)
      const { verdict } = await ask(laterMs + 1, 'next', after)
      expect(verdict).toMatchObject({ ok: false, refusal: { reason: 'member_budget_exhausted' } })
      await world.close()
      // Limits that were taken over cannot be taken over again.
      const kept = engine.db.selectFrom('former_member').select('user_id')
      expect(await kept.where('successor_id', 'is', null).execute()).toEqual([])
    },
    timeoutMs,
  )

  test.each([
    {
      name: 'is the stricter one',
      given: { dailyNano: 50n, monthlyNano: 40n, requestsPerMinute: 9 },
    },
    { name: 'is the looser one', given: { dailyNano: 20n, requestsPerMinute: 5 } },
  ])(
    'a login that takes over an invitation, and $name, has the stricter limit of each kind',
    async ({ given }) => {
      const { world, userId } = await open(false)
      await write(world.engine, laterMs, async (writing) => {
        await invite(writing, tools, { accountId, email, role: 'member', ...given })
        await acceptInvitation(writing, { userId, email, accountId }, mayGive)
      })
      const { dailyNano, requestsPerMinute } = given
      expect(await world.engine.db.selectFrom('membership').selectAll().execute()).toMatchObject([
        {
          user_id: userId,
          daily_nano: dailyNano < 30n ? dailyNano : 30n,
          monthly_nano: given.monthlyNano ?? null,
          requests_per_minute: Math.min(requestsPerMinute, 7),
        },
      ])
      await world.close()
    },
    timeoutMs,
  )

  test(
    'what an invited login spends counts for the verified login that joins afterwards',
    async () => {
      const { world, ledger, userId, ask, spend } = await open(false)
      const { engine } = world
      const at = async <T>(atMs: number, work: (writing: Writing) => Promise<T>): Promise<T> => {
        await world.setClock(atMs)
        const done = await write(engine, atMs, work)
        ledger.apply([{ seq: 1, topic: 'account', subject: accountId }])
        return done
      }
      const invited = await at(laterMs, async (writing) => {
        await removeMember(writing, { userId, accountId })
        return (await invite(writing, tools, { accountId, email, role: 'member' })).userId
      })
      await world.addKey('invited', invited)
      await spend(laterMs + 1, 'invited', invited)
      await at(laterMs + 2, async (writing) => {
        await endMember(writing, { userId: invited, accountId })
        await rejoin(writing, userId)
      })
      await world.addKey('next', userId)
      const { verdict } = await ask(laterMs + 3, 'next', userId)
      expect(verdict).toMatchObject({ ok: false, refusal: { reason: 'member_budget_exhausted' } })
      await world.close()
      const kept = engine.db.selectFrom('former_member').select('user_id')
      expect(await kept.where('successor_id', 'is', null).execute()).toEqual([])
    },
    timeoutMs,
  )

  test(
    'whoever comes back with a part of the former limits is free of the others',
    async () => {
      const { world, ledger, userId, ask } = await open(false)
      const { engine } = world
      const change = async (work: (writing: Writing) => Promise<unknown>): Promise<void> => {
        await world.setClock(laterMs)
        await write(engine, laterMs, work)
        ledger.apply([{ seq: 1, topic: 'account', subject: accountId }])
      }
      await change((writing) => putMember(writing, { userId, accountId, monthlyNano: 20n }))
      const before = await ask(laterMs + 1, 'mine', userId)
      expect(before.verdict).toMatchObject({ refusal: { reason: 'member_budget_exhausted' } })
      // The process hears of both changes at once, and the user rotates the key.
      await change(async (writing) => {
        await removeMember(writing, { userId, accountId })
        await putMember(writing, { userId, accountId, dailyNano: 30n })
      })
      const after = await ask(laterMs + 2, 'mine', userId)
      settle(holdOf(after.verdict))
      await world.close()
    },
    timeoutMs,
  )

  test.each([
    { name: 'the key is deleted', change: {} },
    { name: 'the limit is removed and set again', change: { dailyNano: null } },
    { name: 'the limit moves to another time zone', change: { budgetZone: 'Asia/Kathmandu' } },
    { name: 'the months begin on another day', change: { budgetMonthDay: 11 } },
  ])(
    'the budget of an account counts deleted keys, also if $name',
    async ({ change }) => {
      const { world, ledger, userId, ask, spend } = await open(false)
      const { engine } = world
      await world.setClock(laterMs)
      await write(engine, laterMs, async (writing) => {
        await putMember(writing, { userId, accountId, dailyNano: null })
        await changeAccount(writing, accountId, { dailyNano: 30n })
        await deleteKey(writing, 'mine', laterMs)
        await changeAccount(writing, accountId, change)
        await changeAccount(writing, accountId, { dailyNano: 30n })
      })
      ledger.apply([{ seq: 1, topic: 'account', subject: accountId }])
      await world.addKey('next', userId)
      await spend(laterMs, 'next', userId)
      const { verdict } = await ask(laterMs + 1, 'next', userId)
      expect(verdict).toMatchObject({ refusal: { reason: 'account_budget_exhausted' } })
      await world.close()
    },
    timeoutMs,
  )
})
