import { describe, expect, test } from 'bun:test'
import { createUser } from '../../../src/accounts/create-user.ts'
import {
  acceptAll,
  acceptInvitation,
  invite,
  listInvitations,
} from '../../../src/accounts/invitations.ts'
import { rolesOf } from '../../../src/accounts/member-store.ts'
import { write } from '../../../src/store/changes/write.ts'
import { createVault } from '../../../src/store/secrets/vault.ts'
import { sharedFixtures } from '../../support/store/engine-fixture.ts'
import { addAccount, nowMs, tools } from '../../support/store/row-helpers.ts'

const vault = createVault(new Uint8Array(32).fill(7))

describe.each(sharedFixtures('invitations'))('invitations on $kind', (fixture) => {
  test('concurrent invitations of one new address create one login with one valid link', async () => {
    const engines = await fixture.openTwo()
    await addAccount(engines[0])
    for (const email of ['ann@example.com', 'bob@example.com', 'eve@example.com']) {
      const invited = await Promise.all(
        Array.from({ length: 12 }, (_, index) => {
          const engine = engines[index % 2] ?? engines[0]
          const role = index % 3 === 0 ? ('owner' as const) : ('member' as const)
          return write(engine, nowMs, (writing) =>
            invite(
              writing,
              { ...tools, vault, nowMs, madeBy: 'u_owner' },
              { accountId: 'acme', email, role },
            ),
          )
        }),
      )
      expect(new Set(invited.map(({ userId }) => userId)).size).toBe(1)
      const { db } = engines[0]
      const logins = await db
        .selectFrom('console_user')
        .select('id')
        .where('invited_email', '=', email)
        .execute()
      expect(logins).toEqual([{ id: invited[0]?.userId ?? '' }])
      const links = await db
        .selectFrom('sign_in_link')
        .select('user_id')
        .where('user_id', '=', logins[0]?.id ?? '')
        .execute()
      expect(links).toHaveLength(1)
    }
  })

  test('ended invitations do not hide one that counts', async () => {
    const engine = await fixture.openMigrated()
    const email = 'ann@example.com'
    const mayGive = async () => true
    const invited = async (accountId: string, atMs: number) => {
      await addAccount(engine, accountId)
      await write(engine, atMs, (writing) =>
        invite(
          writing,
          { ...tools, vault, nowMs: atMs, madeBy: 'u_owner' },
          { accountId, email, role: 'member' },
        ),
      )
    }
    for (let made = 10; made < 40; made += 1) await invited(`a${made}`, nowMs)
    const laterMs = nowMs + 8 * 24 * 3_600_000
    await invited('z', laterMs)
    const waiting = (atMs: number) => listInvitations(engine.db, email, { mayGive, nowMs: atMs })
    expect((await waiting(laterMs)).map((each) => each.accountId)).toEqual(['z'])
    // A person with very many sees the first ones.
    expect(await waiting(nowMs)).toHaveLength(20)
  })

  test('an invitation waits only while its inviter may invite', async () => {
    const engine = await fixture.openMigrated()
    await addAccount(engine)
    await addAccount(engine, 'globex')
    const email = 'ann@example.com'
    const invited = (accountId: string, madeBy: string) =>
      write(engine, nowMs, (writing) =>
        invite(writing, { ...tools, vault, nowMs, madeBy }, { accountId, email, role: 'owner' }),
      )
    await invited('acme', 'u_gone')
    await invited('globex', 'u_owner')
    const mayGive = async (_: unknown, actor: string) => actor === 'u_owner'
    const waiting = async () =>
      (await listInvitations(engine.db, email, { mayGive, nowMs })).map((each) => each.accountId)
    expect(await waiting()).toEqual(['globex'])
    const made = { email, role: 'member', proof: 'operator' } as const
    const userId = await write(engine, nowMs, (writing) =>
      createUser(writing, { random: tools.random, nowMs }, made),
    )
    const accept = (accountId: string) =>
      write(engine, nowMs, (writing) =>
        acceptInvitation(writing, { userId, email, accountId }, mayGive),
      )
    expect(await accept('acme')).toBe(false)
    await write(engine, nowMs, (writing) => acceptAll(writing, { userId, email }, mayGive))
    expect([...(await rolesOf(engine.db, userId))]).toEqual([['globex', 'owner']])
    // The same address is invited again by an owner who may.
    await invited('acme', 'u_owner')
    expect(await waiting()).toEqual(['acme'])
    const both = await Promise.all([accept('acme'), accept('acme')])
    expect(both.filter((isAccepted) => isAccepted)).toHaveLength(1)
    expect((await rolesOf(engine.db, userId)).get('acme')).toBe('owner')
  })
})
