import { describe, expect, test } from 'bun:test'
import { createUser } from '../../../src/accounts/create-user.ts'
import type { AccountRole } from '../../../src/accounts/definition/member.ts'
import { followGroups } from '../../../src/accounts/follow-groups.ts'
import { invitationLifetimeMs } from '../../../src/accounts/invitation-end.ts'
import { acceptInvitation, invite, listInvitations } from '../../../src/accounts/invitations.ts'
import {
  listMembers,
  membersMax,
  putMember,
  putMembershipsOf,
  removeMember,
  rolesOf,
} from '../../../src/accounts/member-store.ts'
import { removeLogin } from '../../../src/accounts/remove-login.ts'
import { putUser } from '../../../src/accounts/user-store.ts'
import { verifyUser } from '../../../src/accounts/verify-user.ts'
import { createKey } from '../../../src/keys/key-store.ts'
import { type Writing, write } from '../../../src/store/changes/write.ts'
import type { Engine } from '../../../src/store/engine.ts'
import { sharedFixtures } from '../../support/store/engine-fixture.ts'
import { addAccount, nowMs, plainKey, tools } from '../../support/store/row-helpers.ts'

/*
 * An invitation that stays open beside a membership could later return a role that the person has lost. So a person who
 * joins an account in another way, or leaves it, has no invitation to this account any more.
 */

const email = 'ann@example.com'
const accountId = 'acme'
const mayGive = async () => true

describe.each(sharedFixtures('ended_invitations'))('ended invitations on $kind', (fixture) => {
  const opened = async () => {
    const engine = await fixture.openMigrated()
    for (const id of [accountId, 'globex', 'lab']) await addAccount(engine, id)
    return engine
  }
  const change = <T>(engine: Engine, work: (writing: Writing) => Promise<T>, atMs = nowMs) =>
    write(engine, atMs, work)
  const newUser = (writing: Writing) =>
    createUser(
      writing,
      { random: tools.random, nowMs },
      { email, role: 'member', proof: 'operator' },
    )
  const invited = async (engine: Engine, to = accountId, address = email) => {
    const made = await change(engine, (writing) =>
      invite(
        writing,
        { ...tools, nowMs, madeBy: 'u_owner' },
        { accountId: to, email: address, role: 'owner', monthlyNano: 5n },
      ),
    )
    return made.userId
  }
  const invitedTo = async (engine: Engine) => {
    const rows = await engine.db
      .selectFrom('console_user')
      .select(['invited_to', 'invited_email'])
      .where('invited_to', 'is not', null)
      .execute()
    return rows.map((row) => `${row.invited_email} ${row.invited_to}`).sort()
  }
  const others = [`${email} globex`, `bob@example.com ${accountId}`]
  const inviteOthers = async (engine: Engine) => {
    await invited(engine, 'globex')
    await invited(engine, accountId, 'bob@example.com')
  }
  const accept = (engine: Engine, userId: string) =>
    change(engine, (writing) => acceptInvitation(writing, { userId, email, accountId }, mayGive))

  type Join = (writing: Writing, userId: string) => Promise<unknown>
  const listed = (role: AccountRole) => ({
    email,
    role: 'member' as const,
    accounts: [{ id: accountId, role }],
    passwordHash: undefined,
  })
  const joins: Record<string, Join> = {
    'an operator adds the person': (writing, userId) =>
      putMember(writing, { userId, accountId, role: 'viewer' }),
    'an operator gives the user accounts': (writing, userId) =>
      putMembershipsOf(writing, userId, [{ accountId, role: 'viewer' }]),
    'the file lists the account': (writing) => putUser(writing, tools, listed('viewer')),
    'a group at the provider leads to it': (writing, userId) =>
      followGroups(writing, { userId, email, nowMs }, new Map([[accountId, 'viewer']])),
    'an invited login of an earlier version is verified': async (writing) => {
      // It may be a member of several accounts.
      const { userId: id } = await invite(
        writing,
        { ...tools, nowMs, madeBy: 'u_owner' },
        { accountId: 'lab', email, role: 'viewer' },
      )
      const row = { user_id: id, account_id: accountId, role: 'viewer' }
      await writing.tx.insertInto('membership').values(row).execute()
      await verifyUser(writing, { id, email }, { proof: 'operator', nowMs })
    },
  }
  const states: Record<string, (engine: Engine, invitedId: string) => Promise<unknown>> = {
    open: async () => {},
    opened: ({ db }, id) =>
      db.updateTable('console_user').set({ seen_at: nowMs }).where('id', '=', id).execute(),
    suspended: ({ db }, id) =>
      db.updateTable('console_user').set({ suspended: 1 }).where('id', '=', id).execute(),
    expired: ({ db }, id) =>
      db
        .updateTable('console_user')
        .set({ invited_at: nowMs - invitationLifetimeMs })
        .where('id', '=', id)
        .execute(),
  }
  const cases = Object.keys(joins).flatMap((join) =>
    Object.keys(states).map((state) => [join, state] as const),
  )

  test.each(cases)('%s: the invitation ends that is %s', async (join, state) => {
    const engine = await opened()
    const { db } = engine
    const invitedId = await invited(engine)
    await states[state]?.(engine, invitedId)
    await inviteOthers(engine)
    const key = await change(engine, (writing) =>
      createKey(writing, tools, { ...plainKey, ownerId: invitedId }),
    )
    const userId = await change(engine, newUser)
    await change(engine, async (writing) => joins[join]?.(writing, userId))

    // The invitations to other accounts and of other people stay.
    expect(await invitedTo(engine)).toEqual(others)
    expect((await rolesOf(db, userId)).get(accountId)).toBe('viewer')
    const links = db.selectFrom('sign_in_link').select('user_id').where('user_id', '=', invitedId)
    expect(await links.execute()).toEqual([])
    const waiting = await listInvitations(db, email, { mayGive, nowMs })
    expect(waiting.map((each) => each.accountId)).toEqual(['globex'])
    // The limits that the owner has set with the invitation are those of the person.
    const member = (await listMembers(db, accountId)).find((each) => each.userId === userId)
    expect(member?.limits.monthlyNano).toBe(5n)
    const keys = db.selectFrom('api_key').select(['owner_user_id', 'stopped', 'value_sealed'])
    expect(await keys.where('id', '=', key.id).execute()).toEqual([
      { owner_user_id: userId, stopped: 1, value_sealed: '' },
    ])

    expect(await accept(engine, userId)).toBe(false)
    expect((await rolesOf(db, userId)).get(accountId)).toBe('viewer')
    await change(engine, (writing) => removeMember(writing, { userId, accountId }))
    expect(await accept(engine, userId)).toBe(false)
    expect((await rolesOf(db, userId)).has(accountId)).toBe(false)
  })

  test('a new user of the file joins without the role of the invitation', async () => {
    const engine = await opened()
    await invited(engine)
    await inviteOthers(engine)
    await change(engine, (writing) => putUser(writing, tools, listed('viewer')))
    expect(await invitedTo(engine)).toEqual(others)
    const found = (await listMembers(engine.db, accountId)).map((each) => [each.email, each.role])
    expect(found).toEqual([
      ['ann@example.com', 'viewer'],
      ['bob@example.com', 'owner'],
    ])
  })

  test('without a role, the person gets that of a new member, by hand', async () => {
    const engine = await opened()
    await invited(engine)
    const userId = await change(engine, newUser)
    await change(engine, (writing) => putMember(writing, { userId, accountId }))
    const [member] = await listMembers(engine.db, accountId)
    expect(member).toMatchObject({ userId, role: 'member', source: 'manual' })
  })

  test('a group adds an invited person to an account that is full with the invitation', async () => {
    const engine = await opened()
    await invited(engine)
    const ids = Array.from({ length: membersMax - 1 }, (_, at) => `u${at}`)
    const users = ids.map((id) => ({ id, email: id, role: 'member', password_hash: null }))
    await engine.db
      .insertInto('console_user')
      .values(users.map((user) => ({ ...user, created_at: 1 })))
      .execute()
    const rows = ids.map((id) => ({ user_id: id, account_id: accountId }))
    await engine.db.insertInto('membership').values(rows).execute()
    const join = async (address: string) => {
      const made = { email: address, role: 'member', proof: 'open-id' } as const
      return change(engine, async (writing) => {
        const userId = await createUser(writing, { random: tools.random, nowMs }, made)
        const wanted = new Map([[accountId, 'viewer' as const]])
        return followGroups(writing, { userId, email: address, nowMs }, wanted)
      })
    }
    expect(await join('bob@example.com')).toEqual({ unknown: [], full: [accountId] })
    expect(await join(email)).toEqual({ unknown: [], full: [] })
    const found = engine.db.selectFrom('membership').select('user_id')
    expect(await found.where('account_id', '=', accountId).execute()).toHaveLength(membersMax)
  })

  test('the limits of whoever adds the person win over those of the invitation', async () => {
    const engine = await opened()
    await invited(engine)
    const userId = await change(engine, newUser)
    const given = { userId, accountId, monthlyNano: 50n }
    await change(engine, (writing) => putMember(writing, given))
    const [member] = await listMembers(engine.db, accountId)
    expect(member?.limits.monthlyNano).toBe(50n)
  })

  const leave: Record<string, Join> = {
    'the membership ends': (writing, userId) => removeMember(writing, { userId, accountId }),
    'an operator takes the accounts': (writing, userId) => putMembershipsOf(writing, userId, []),
    'the file lists no account': (writing) =>
      putUser(writing, tools, { ...listed('viewer'), accounts: [] }),
    'no group leads to it': async (writing, userId) => {
      await putMember(writing, { userId, accountId, source: 'open-id' })
      await followGroups(writing, { userId, email, nowMs }, new Map())
    },
    'the user is deleted': (writing, userId) => removeLogin(writing, userId),
  }
  test.each(Object.keys(leave))(
    '%s: so does an invitation that a process of an earlier version has left open',
    async (way) => {
      const engine = await opened()
      const userId = await change(engine, newUser)
      await invited(engine)
      await inviteOthers(engine)
      const row = { user_id: userId, account_id: accountId, role: 'viewer' }
      await engine.db.insertInto('membership').values(row).execute()
      await change(engine, async (writing) => leave[way]?.(writing, userId))
      expect(await invitedTo(engine)).toEqual(others)
      const again = await change(engine, async (writing) => {
        if (way === 'the user is deleted') return newUser(writing)
        return userId
      })
      expect(await accept(engine, again)).toBe(false)
      expect([...(await rolesOf(engine.db, again))]).toEqual([])
    },
  )
})
