import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import type {
  AccountDetail,
  MemberAdded,
  SessionAnswer,
  UserRow,
} from '../../../../src/console-api/contract.ts'
import { cookieOf, readJson } from '../../../support/console/console-fixture.ts'
import { noBudgets } from '../../../support/store/row-helpers.ts'
import {
  codeOf,
  type InvitationFixture,
  openInvitationFixture,
  ops,
  stolen,
  tokenIn,
} from './invitation-fixture.ts'

const api = '/console/api'
let fixture: InvitationFixture

beforeEach(async () => {
  fixture = await openInvitationFixture()
})
afterEach(() => fixture.close())

describe('an address that its inviter has taken over', () => {
  /** Each way in which the address gets a verified owner, and what the inviter can still open afterwards. */
  const ways: readonly [name: string, prove: () => Promise<unknown>, opens: readonly string[]][] = [
    ['nobody verifies it', async () => {}, ['member of acme']],
    ['the file lists it as an administrator', () => fixture.byFile('admin'), ['member of acme']],
    ['the file lists it as a user', () => fixture.byFile('member'), ['member of acme']],
    [
      'an administrator makes it an administrator',
      async () => {
        const { id } = await fixture.invitedUser(ops)
        const root = await fixture.signIn('u_root')
        const edited = await fixture.call('PATCH', `/operate/users/${id}`, root, { role: 'admin' })
        expect(await readJson<UserRow>(edited)).toMatchObject({ role: 'admin', proof: 'operator' })
      },
      [],
    ],
    [
      'an administrator adds another account to it',
      async () => {
        const { id } = await fixture.invitedUser(ops)
        const root = await fixture.signIn('u_root')
        const accounts = [{ id: 'globex', role: 'owner' }]
        const edited = await fixture.call('PATCH', `/operate/users/${id}`, root, { accounts })
        expect(await readJson<UserRow>(edited)).toMatchObject({ proof: 'operator' })
      },
      [],
    ],
    [
      'an administrator creates a user with it',
      async () => {
        const root = await fixture.signIn('u_root')
        const body = { email: ops, role: 'admin', accounts: [] }
        expect((await fixture.call('POST', '/operate/users', root, body)).status).toBe(200)
      },
      ['member of acme'],
    ],
    [
      'an administrator vouches for it',
      async () => {
        const { id } = await fixture.invitedUser(ops)
        const root = await fixture.signIn('u_root')
        expect((await fixture.call('POST', `/operate/users/${id}/vouch`, root)).status).toBe(200)
      },
      [],
    ],
    [
      'an administrator adds it to another account',
      async () => {
        const root = await fixture.signIn('u_root')
        const body = { email: ops, role: 'owner' }
        expect((await fixture.call('POST', '/accounts/globex/members', root, body)).status).toBe(
          200,
        )
      },
      ['member of acme'],
    ],
    [
      'an administrator adds it to the inviting account',
      async () => {
        const root = await fixture.signIn('u_root')
        const body = { email: ops, role: 'owner' }
        expect((await fixture.call('POST', '/accounts/acme/members', root, body)).status).toBe(200)
      },
      [],
    ],
    [
      'its owner signs in with OpenID',
      async () => {
        const cookie = await fixture.byOpenId({ openId: 'i ops', email: ops })
        expect(await fixture.accountsOf(cookie)).toEqual(['owner of acme'])
      },
      [],
    ],
    [
      'another account invites it',
      () => fixture.inviteTo('globex', ops, 'owner'),
      ['member of acme'],
    ],
  ]
  for (const [name, prove, opens] of ways) {
    test(`${name}: the inviter opens ${opens.join() || 'nothing'}`, async () => {
      // Even if the invitation says owner: an unverified address has at most the role member.
      const taken = await fixture.takeOver('acme', ops, 'owner')
      await prove()
      expect(await fixture.whatOpens(ops, 'acme', taken)).toEqual([...opens])
    })
  }

  test('two accounts invite it: neither inviter gets into the other account', async () => {
    const acme = await fixture.takeOver('acme', ops)
    const globex = await fixture.takeOver('globex', ops)
    expect(await fixture.whatOpens(ops, 'acme', acme)).toEqual(['member of acme'])
    expect(await fixture.whatOpens(ops, 'globex', globex)).toEqual(['member of globex'])
    expect(acme.added.member.userId).not.toBe(globex.added.member.userId)
    const cookie = await fixture.byOpenId({ openId: 'i ops', email: ops })
    expect(await fixture.accountsOf(cookie)).toEqual(['member of acme', 'member of globex'])
    expect(await fixture.whatOpens(ops, 'acme', acme)).toEqual([])
    expect(await fixture.whatOpens(ops, 'globex', globex)).toEqual([])
  })

  test('no sign-in link is created for it, and none of an earlier version works', async () => {
    const { added } = await fixture.takeOver('acme', ops)
    const root = await fixture.signIn('u_root')
    const made = fixture.call('POST', `/operate/users/${added.member.userId}/sign-in-link`, root)
    expect(await codeOf(made)).toBe('conflict')
    const token = await fixture.mintLink(added.member.userId)
    expect(await codeOf(fixture.post(`${api}/sign-in-link`, { body: { token } }))).toBe(
      'link_spent',
    )
  })
})

describe('an invitation', () => {
  const addresses = [
    ['an unknown address', 'nobody@x.org', async () => {}],
    ['a verified login', 'new@example.com', async () => {}],
    ['an administrator', 'root@example.com', async () => {}],
    ['an address that another account has invited', ops, () => fixture.inviteTo('globex', ops)],
    [
      'a disabled login',
      'new@example.com',
      () =>
        fixture.engine.db
          .updateTable('console_user')
          .set({ suspended: 1 })
          .where('id', '=', 'u_new')
          .execute(),
    ],
  ] as const
  for (const [name, email, prepare] of addresses) {
    test(`of ${name} gets the same response, and opens the inviting account only`, async () => {
      await prepare()
      const added = await fixture.inviteTo('acme', email.toUpperCase(), 'viewer')
      const { userId } = added.member
      expect(added).toEqual({
        member: {
          userId: expect.stringMatching(/^user_/),
          email,
          role: 'viewer',
          source: 'manual',
          isProven: false,
          isAdmin: false,
          isSuspended: false,
          hasSignedIn: false,
          invitationEndsAt: fixture.nowMs() + 7 * 24 * 3_600_000,
          budgets: [],
          totalNano: null,
          ...noBudgets,
          requestsPerMinute: null,
          tokensPerMinute: null,
          concurrentRequests: null,
        },
        signInUrl: null,
        isMailed: false,
        invitationUrl: `${fixture.url}/console/invitation#${tokenIn(added.invitationUrl)}`,
      })
      const response = await fixture.acceptLink(added)
      const session = await readJson<SessionAnswer>(response)
      expect(session.user).toMatchObject({ id: userId, email, role: 'member', invitedTo: 'acme' })
      expect(session.accounts.map(({ id }) => id)).toEqual(['acme'])
      expect(session.invitations).toEqual([])
      const cookie = cookieOf(response)
      await fixture.call('POST', '/password', cookie, { password: stolen })
      // Not even the inviter's own password reveals whether the address has a login.
      expect((await fixture.signInWith(email, stolen)).status).toBe(401)
      expect((await fixture.signInWith(email, stolen, 'acme')).status).toBe(200)
      expect((await fixture.signInWith(email, stolen, 'globex')).status).toBe(401)
      const owen = await fixture.signIn('u_owen')
      const again = fixture.call('POST', '/accounts/acme/members', owen, { email, role: 'member' })
      expect(await readJson<MemberAdded>(again)).toMatchObject({
        member: { userId, role: 'member' },
      })
    })
  }

  test('works once, is replaced by a new one, ends after a week and with the membership', async () => {
    const first = await fixture.inviteTo('acme', ops)
    const second = await fixture.inviteTo('acme', ops)
    expect(await codeOf(fixture.acceptLink(first))).toBe('link_spent')
    expect((await fixture.acceptLink(second)).status).toBe(200)
    expect(await codeOf(fixture.acceptLink(second))).toBe('link_spent')
    const third = await fixture.inviteTo('acme', ops)
    fixture.passTime(7 * 24 * 3_600_000)
    expect(await codeOf(fixture.acceptLink(third))).toBe('link_spent')
    const fourth = await fixture.inviteTo('acme', ops)
    const owen = await fixture.signIn('u_owen')
    const place = `/accounts/acme/members?user=${fourth.member.userId}`
    expect((await fixture.call('DELETE', place, owen)).status).toBe(200)
    expect(await codeOf(fixture.acceptLink(fourth))).toBe('link_spent')
    const rows = await fixture.engine.db.selectFrom('console_user').select('id').execute()
    expect(rows.map(({ id }) => id)).not.toContain(fourth.member.userId)
  })

  test('waits until the user with the verified address accepts or declines', async () => {
    const added = await fixture.inviteTo('acme', 'bob@example.com', 'owner')
    await fixture.inviteTo('acme', 'new@example.com')
    const invited = cookieOf(await fixture.acceptLink(added))
    const bob = await fixture.signIn('u_bob')
    const waiting = { accountId: 'acme', accountName: 'Acme Robotics', role: 'owner' } as const
    expect((await fixture.sessionOf(bob)).invitations).toEqual([waiting])
    expect(
      await codeOf(fixture.call('POST', '/invitations/accept', bob, { account: 'empty' })),
    ).toBe('not_found')
    // Neither a stranger nor the invited login itself can accept for the address.
    const ann = await fixture.signIn('u_ann')
    for (const cookie of [ann, invited]) {
      expect(
        await codeOf(fixture.call('POST', '/invitations/accept', cookie, { account: 'acme' })),
      ).toBe('not_found')
      expect(
        await codeOf(fixture.call('POST', '/invitations/decline', cookie, { account: 'acme' })),
      ).toBe('not_found')
    }
    const accepted = await fixture.call('POST', '/invitations/accept', bob, { account: 'acme' })
    const session = await readJson<SessionAnswer>(accepted)
    expect(session.accounts.map(({ id, role }) => `${role} of ${id}`)).toEqual([
      'owner of acme',
      'owner of globex',
    ])
    expect(session.invitations).toEqual([])
    expect((await fixture.sessionOf(invited)).user).toBeNull()
    const fresh = await fixture.signIn('u_new')
    const declined = await fixture.call('POST', '/invitations/decline', fresh, { account: 'acme' })
    expect(await readJson<SessionAnswer>(declined)).toMatchObject({ invitations: [] })
    const { members } = await readJson<AccountDetail>(
      fixture.get(`${api}/accounts/acme`, { cookie: bob }),
    )
    expect(members.map(({ userId }) => userId)).toEqual(['u_ann', 'u_bob', 'u_owen', 'u_vera'])
    const audit = await fixture.engine.db.selectFrom('audit').select(['actor', 'action']).execute()
    const lines = audit.map(({ actor, action }) => `${actor} ${action}`)
    expect(lines).toContain('u_bob member.accepted')
    expect(lines).toContain('u_new member.declined')
  })

  test('opened by a user signed in with the address joins with that login', async () => {
    const added = await fixture.inviteTo('acme', 'bob@example.com')
    const bob = await fixture.signIn('u_bob')
    const response = await fixture.acceptLink(added, bob)
    expect(response.headers.get('set-cookie')).toBeNull()
    expect(await fixture.accountsOf(bob)).toEqual(['member of acme', 'owner of globex'])
    // With another address it opens the restricted login.
    const other = await fixture.acceptLink(await fixture.inviteTo('acme', ops), bob)
    expect(await fixture.accountsOf(cookieOf(other))).toEqual(['member of acme'])
  })

  test('a disabled login neither accepts it nor comes back by OpenID', async () => {
    const users = fixture.engine.db.updateTable('console_user')
    await fixture.inviteTo('acme', 'new@example.com')
    await users.set({ suspended: 1 }).where('id', '=', 'u_new').execute()
    expect(await fixture.byOpenId({ openId: 'i new', email: 'new@example.com' })).toBeUndefined()
    expect(await fixture.byOpenId({ openId: 'i x', email: undefined })).toBeUndefined()
  })

  test('does not make an unverified user an owner: the last owner cannot leave', async () => {
    const added = await fixture.inviteTo('acme', ops, 'owner')
    const invited = cookieOf(await fixture.acceptLink(added))
    const owen = await fixture.signIn('u_owen')
    expect(await codeOf(fixture.call('DELETE', '/accounts/acme/members?user=u_owen', owen))).toBe(
      'in_use',
    )
    expect(await codeOf(fixture.call('PATCH', '/accounts/acme', invited, { name: 'x' }))).toBe(
      'not_allowed',
    )
    expect(await codeOf(fixture.call('GET', '/accounts/globex', invited))).toBe('not_found')
    expect(await codeOf(fixture.call('GET', '/operate/users', invited))).toBe('not_allowed')
  })

  test('a suspended owner does not count: the last one who can act cannot leave', async () => {
    const { db } = fixture.engine
    const other = { user_id: 'u_bob', account_id: 'acme', role: 'owner' }
    await db.insertInto('membership').values(other).execute()
    const owen = await fixture.signIn('u_owen')
    const suspend = (suspended: number) =>
      db.updateTable('console_user').set({ suspended }).where('id', '=', 'u_bob').execute()
    const call = (method: string, user: string, body?: object) =>
      fixture.call(method, `/accounts/acme/members?user=${user}`, owen, body)
    await suspend(1)
    expect(await codeOf(call('DELETE', 'u_owen'))).toBe('in_use')
    expect(await codeOf(call('PATCH', 'u_owen', { role: 'member' }))).toBe('in_use')
    expect((await call('PATCH', 'u_bob', { role: 'viewer' })).status).toBe(200)
    expect((await call('PATCH', 'u_bob', { role: 'owner' })).status).toBe(200)
    await suspend(0)
    expect((await call('DELETE', 'u_owen')).status).toBe(200)
  })
})
