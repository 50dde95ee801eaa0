import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import type { UserRow, UserVouched, UserWithLink } from '../../../../src/console-api/contract.ts'
import { cookieOf, readJson } from '../../../support/console/console-fixture.ts'
import { annPassword } from '../../../support/console/console-seed.ts'
import {
  codeOf,
  type InvitationFixture,
  openInvitationFixture,
  ops,
  tokenIn,
} from './invitation-fixture.ts'

const api = '/console/api'
let fixture: InvitationFixture

beforeEach(async () => {
  fixture = await openInvitationFixture()
})
afterEach(() => fixture.close())

describe('vouching', () => {
  test('gives the administrator a sign-in link, and is recorded', async () => {
    await fixture.takeOver('acme', ops, 'owner')
    const { id } = await fixture.invitedUser(ops)
    const root = await fixture.signIn('u_root')
    const vouched = await readJson<UserVouched>(
      fixture.call('POST', `/operate/users/${id}/vouch`, root),
    )
    expect(vouched.user).toMatchObject({
      id,
      email: ops,
      proof: 'operator',
      invitedTo: null,
      hasPassword: false,
      hasTotp: false,
    })
    const token = tokenIn(vouched.signInUrl)
    const cookie = cookieOf(await fixture.post(`${api}/sign-in-link`, { body: { token } }))
    expect(await fixture.accountsOf(cookie)).toEqual(['owner of acme'])
    const audit = await fixture.engine.db.selectFrom('audit').selectAll().execute()
    expect(audit).toContainEqual(
      expect.objectContaining({ actor: 'u_root', action: 'user.vouched', subject: id }),
    )
    expect(await codeOf(fixture.call('POST', `/operate/users/${id}/vouch`, root))).toBe('conflict')
  })

  test('for an address that has a login gives that login the membership, and no link', async () => {
    const taken = await fixture.takeOver('acme', 'bob@example.com')
    const { id } = await fixture.invitedUser('bob@example.com')
    const root = await fixture.signIn('u_root')
    const vouched = await readJson<UserVouched>(
      fixture.call('POST', `/operate/users/${id}/vouch`, root),
    )
    expect(vouched).toMatchObject({ user: { id: 'u_bob' }, signInUrl: null })
    expect(await fixture.accountsOf(await fixture.signIn('u_bob'))).toEqual([
      'member of acme',
      'owner of globex',
    ])
    expect(await fixture.whatOpens('bob@example.com', 'acme', taken)).toEqual([])
    // The user keeps the password.
    expect((await fixture.signInWith('bob@example.com', annPassword)).status).toBe(200)
  })

  test('requires an administrator with a recent confirmation of identity', async () => {
    const { member } = await fixture.inviteTo('acme', ops)
    const path = `/operate/users/${member.userId}/vouch`
    const root = await fixture.signIn('u_root')
    fixture.passTime(6 * 60_000)
    expect(await codeOf(fixture.call('POST', path, root))).toBe('reauthenticate')
    for (const user of ['u_owen', 'u_ann']) {
      expect(await codeOf(fixture.call('POST', path, await fixture.signIn(user)))).toBe(
        'not_allowed',
      )
    }
  })
})

describe('an administrator who edits an invited login', () => {
  test('without extending its rights does not verify it', async () => {
    const taken = await fixture.takeOver('acme', ops)
    const { id, accounts } = await fixture.invitedUser(ops)
    const root = await fixture.signIn('u_root')
    const lower = accounts.map((each) => ({ id: each.id, role: 'viewer' }))
    await fixture.call('PATCH', `/operate/users/${id}`, root, { accounts: lower })
    expect(await fixture.accountsOf(taken.cookies[0])).toEqual(['viewer of acme'])
    const again = await fixture.takeOver('acme', ops)
    const edit = { role: 'member', isSuspended: false, accounts }
    const edited = await readJson<UserRow>(
      fixture.call('PATCH', `/operate/users/${id}`, root, edit),
    )
    expect(edited).toMatchObject({ proof: null, invitedTo: 'acme' })
    expect(await fixture.whatOpens(ops, 'acme', again)).toEqual(['member of acme'])
    await fixture.call('PATCH', `/operate/users/${id}`, root, { isSuspended: true })
    expect(await fixture.whatOpens(ops, 'acme', again)).toEqual([])
  })

  test('cannot promote it when the address has a login of its own', async () => {
    const { member } = await fixture.inviteTo('acme', 'bob@example.com')
    const root = await fixture.signIn('u_root')
    const path = `/operate/users/${member.userId}`
    expect(await codeOf(fixture.call('PATCH', path, root, { role: 'admin' }))).toBe('conflict')
    const rows = await fixture.engine.db.selectFrom('console_user').select(['id', 'role']).execute()
    expect(rows).toContainEqual({ id: member.userId, role: 'member' })
    expect(rows).toContainEqual({ id: 'u_bob', role: 'member' })
  })

  test('a new user with the same address is another login, which the invitation waits for', async () => {
    await fixture.takeOver('acme', ops)
    const root = await fixture.signIn('u_root')
    const body = { email: ops, role: 'member', accounts: [] }
    const made = await readJson<UserWithLink>(fixture.call('POST', '/operate/users', root, body))
    const token = tokenIn(made.signInUrl)
    const cookie = cookieOf(await fixture.post(`${api}/sign-in-link`, { body: { token } }))
    const { accounts, invitations } = await fixture.sessionOf(cookie)
    expect([accounts, invitations.map(({ accountId }) => accountId)]).toEqual([[], ['acme']])
  })
})

describe('an invited login of an earlier version, which signs in with the plain address', () => {
  const vouch = async () => {
    const root = await fixture.signIn('u_root')
    return fixture.call('POST', '/operate/users/u_old/vouch', root)
  }
  const ways: readonly [name: string, prove: () => Promise<unknown>][] = [
    ['the file lists it', () => fixture.byFile('admin')],
    ['an administrator vouches for it', vouch],
    ['its owner signs in with OpenID', () => fixture.byOpenId({ openId: 'i ops', email: ops })],
    [
      'an administrator creates a user with it',
      async () => {
        const root = await fixture.signIn('u_root')
        const body = { email: ops, role: 'admin', accounts: [] }
        return fixture.call('POST', '/operate/users', root, body)
      },
    ],
  ]
  for (const [name, prove] of ways) {
    test(`${name}: the password no longer opens the address`, async () => {
      const { db } = fixture.engine
      const ann = db.selectFrom('console_user').select('password_hash').where('id', '=', 'u_ann')
      const { password_hash } = await ann.executeTakeFirstOrThrow()
      const invited = { email: ops, invited_email: ops, invited_to: 'acme', role: 'member' }
      await db
        .insertInto('console_user')
        .values({ ...invited, id: 'u_old', password_hash, created_at: 1 })
        .execute()
      await db
        .insertInto('membership')
        .values(
          ['acme', 'globex'].map((account_id) => ({ user_id: 'u_old', account_id, role: 'owner' })),
        )
        .execute()
      const cookie = cookieOf(await fixture.signInWith(ops, annPassword))
      // Only the membership in the inviting account has an effect.
      expect(await fixture.accountsOf(cookie)).toEqual(['member of acme'])
      await prove()
      expect((await fixture.signInWith(ops, annPassword)).status).toBe(401)
      const left = await fixture.accountsOf(cookie)
      expect(left.filter((each) => each !== 'member of acme')).toEqual([])
      expect(await codeOf(fixture.call('GET', '/operate/users', cookie))).not.toBe('internal_error')
      const proven = db.selectFrom('console_user').select('email').where('email', '=', ops)
      expect(await proven.where('invited_to', 'is', null).execute()).toHaveLength(1)
    })
  }
})
