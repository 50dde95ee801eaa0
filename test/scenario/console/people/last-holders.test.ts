import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import type { ProblemDetails } from '../../../../src/console-api/admin/problem.ts'
import type { ErrorAnswer } from '../../../../src/console-api/contract.ts'
import {
  type ConsoleFixture,
  openConsoleFixture,
  readJson,
} from '../../../support/console/console-fixture.ts'

/*
 * The gateway keeps an administrator who can sign in, and an account keeps an owner, unless an administrator insists.
 * Root is the only administrator, and Owen the only owner of acme.
 */

const api = '/console/api'
let fixture: ConsoleFixture
let token: string

beforeEach(async () => {
  fixture = await openConsoleFixture()
  token = await fixture.makeToken(['all'])
})
afterEach(() => fixture.close())

const send = (method: string, path: string, body: object) =>
  fixture.admin(token, method, path, method === 'DELETE' ? {} : { body })
const detailOf = async (response: Response) => {
  expect(response.status).toBe(409)
  return (await readJson<ProblemDetails>(response)).errors?.[0]?.code
}
const row = async (id: string) =>
  fixture.engine.db
    .selectFrom('console_user')
    .select(['role', 'suspended'])
    .where('id', '=', id)
    .executeTakeFirst()
const rolesIn = async (accountId: string) => {
  const rows = await fixture.engine.db
    .selectFrom('membership')
    .select(['user_id', 'role'])
    .where('account_id', '=', accountId)
    .orderBy('user_id')
    .execute()
  return rows.map((each) => `${each.user_id} ${each.role}`)
}
const addAdmin = (more: object = {}) =>
  fixture.engine.db
    .insertInto('console_user')
    .values({
      id: 'u_ada',
      email: 'ada@example.com',
      role: 'admin',
      password_hash: null,
      created_at: 1,
      ...more,
    })
    .execute()

const root = '/users/u_root'
const withoutAdmin: readonly (readonly [string, object])[] = [
  ['PATCH', { role: 'member' }],
  ['PATCH', { isSuspended: true }],
  ['PUT', { role: 'member', accounts: [] }],
  ['PUT', { role: 'admin', isSuspended: true, accounts: [] }],
  ['DELETE', {}],
]

describe('the last administrator', () => {
  test.each(withoutAdmin)('%s %p is refused, and forced on demand', async (method, body) => {
    expect(await detailOf(await send(method, root, body))).toBe('last_admin')
    expect(await detailOf(await send(method, `${root}?force=false`, body))).toBe('last_admin')
    expect(await row('u_root')).toEqual({ role: 'admin', suspended: 0 })
    expect((await send(method, `${root}?force=true`, body)).status).toBe(200)
    expect(await row('u_root')).not.toEqual({ role: 'admin', suspended: 0 })
  })

  test.each([
    ['is suspended', { suspended: 1 }],
    ['is invited', { invited_to: 'acme', invited_email: 'ada@example.com', email: 'ada x' }],
  ])('another one who %s does not count', async (_, more) => {
    await addAdmin(more)
    expect(await detailOf(await send('DELETE', root, {}))).toBe('last_admin')
    // Nobody loses anything with one who cannot sign in.
    expect((await send('DELETE', '/users/u_ada', {})).status).toBe(200)
  })

  test('can go when another one can sign in', async () => {
    await addAdmin()
    expect((await send('PATCH', root, { isSuspended: true })).status).toBe(200)
    expect(await detailOf(await send('PATCH', '/users/u_ada', { role: 'member' }))).toBe(
      'last_admin',
    )
  })

  test('an edit that keeps the role is not refused', async () => {
    expect((await send('PATCH', root, { role: 'admin', accounts: [] })).status).toBe(200)
  })

  test('two administrators who demote each other leave one', async () => {
    await addAdmin()
    const [one, other] = [await fixture.signIn('u_root'), await fixture.signIn('u_ada')]
    const demote = (cookie: string, id: string) =>
      fixture.send('PATCH', `${api}/operate/users/${id}`, { cookie, body: { role: 'member' } })
    const both = await Promise.all([demote(one, 'u_ada'), demote(other, 'u_root')])
    expect(both.map(({ status }) => String(status)).sort()).toEqual(['200', '403'])
    const roles = [await row('u_root'), await row('u_ada')].map((each) => `${each?.role}`)
    expect(roles.sort()).toEqual(['admin', 'member'])
  })

  test.each([
    ['demotes', { role: 'member' }],
    ['suspends', { role: 'admin', suspended: true }],
  ])('a document that %s them is refused', async (_, entry) => {
    const body = { users: [{ email: 'root@example.com', accounts: [], ...entry }] }
    for (const path of ['/provision', '/provision?dryRun=true']) {
      const refused = await fixture.admin(token, 'POST', path, { body })
      expect(refused.status).toBe(422)
      expect(await refused.text()).toContain('administrator')
    }
    expect(await row('u_root')).toEqual({ role: 'admin', suspended: 0 })
    const users = [...body.users, { email: 'ada@example.com', role: 'admin', accounts: [] }]
    expect((await fixture.admin(token, 'POST', '/provision', { body: { users } })).status).toBe(200)
  })
})

const owen = '/users/u_owen'
const membership = '/accounts/acme/members?user=u_owen'
const withoutOwner: readonly (readonly [string, string, object])[] = [
  ['PATCH', owen, { accounts: [] }],
  ['PATCH', owen, { accounts: [{ id: 'acme', role: 'member' }] }],
  ['PUT', owen, { role: 'member', accounts: [] }],
  ['DELETE', owen, {}],
  ['PATCH', membership, { role: 'viewer' }],
  ['DELETE', membership, {}],
  ['PATCH', owen, { isSuspended: true }],
  ['PUT', owen, { role: 'member', isSuspended: true, accounts: [{ id: 'acme', role: 'owner' }] }],
]
/** The owners of acme who can sign in. */
const activeOwners = async () => {
  const rows = await fixture.engine.db
    .selectFrom('membership as m')
    .innerJoin('console_user as u', 'u.id', 'm.user_id')
    .select('u.id')
    .where('m.account_id', '=', 'acme')
    .where('m.role', '=', 'owner')
    .where('u.suspended', '=', 0)
    .execute()
  return rows.map(({ id }) => id)
}
const forced = (path: string, force = 'true') =>
  `${path}${path.includes('?') ? '&' : '?'}force=${force}`

describe('the last owner', () => {
  test.each(withoutOwner)(
    '%s %s %p is refused, and forced on demand',
    async (method, path, body) => {
      const before = await rolesIn('acme')
      expect(await detailOf(await send(method, path, body))).toBe('last_owner')
      expect(await detailOf(await send(method, forced(path, 'false'), body))).toBe('last_owner')
      expect(await rolesIn('acme')).toEqual(before)
      expect(await activeOwners()).toEqual(['u_owen'])
      expect((await send(method, forced(path), body)).status).toBe(200)
      expect(await activeOwners()).toEqual([])
    },
  )

  test('an owner cannot insist, neither with a session nor with a token', async () => {
    const cookie = await fixture.signIn('u_owen')
    const ofAcme = await fixture.makeToken(['all'], 'acme')
    for (const [method, body] of [
      ['PATCH', { role: 'member' }],
      ['DELETE', {}],
    ] as const) {
      const path = forced(membership)
      const bySession = await fixture.send(method, `${api}${path}`, { cookie, body })
      expect((await readJson<ErrorAnswer>(bySession)).error.detail).toBe('last_owner')
      const byToken = await fixture.admin(ofAcme, method, path, method === 'PATCH' ? { body } : {})
      expect(await detailOf(byToken)).toBe('last_owner')
    }
    expect(await rolesIn('acme')).toContain('u_owen owner')
  })

  test('a suspended owner still counts as the last one', async () => {
    expect((await send('PATCH', forced(owen), { isSuspended: true })).status).toBe(200)
    // The suspension can be taken back, the end of the membership cannot.
    for (const [method, path, body] of withoutOwner.slice(0, 6)) {
      expect(await detailOf(await send(method, path, body))).toBe('last_owner')
    }
    expect((await send('PATCH', owen, { isSuspended: true })).status).toBe(200)
    expect((await send('PATCH', owen, { isSuspended: false })).status).toBe(200)
    expect(await activeOwners()).toEqual(['u_owen'])
  })

  test('an owner beside another one who can sign in is suspended at once', async () => {
    const bob = { user_id: 'u_bob', account_id: 'acme', role: 'owner' }
    await fixture.engine.db.insertInto('membership').values(bob).execute()
    expect((await send('PATCH', owen, { isSuspended: true })).status).toBe(200)
    expect(await detailOf(await send('PATCH', '/users/u_bob', { isSuspended: true }))).toBe(
      'last_owner',
    )
  })

  test('two administrators who suspend the owners at once leave one', async () => {
    const bob = { user_id: 'u_bob', account_id: 'acme', role: 'owner' }
    await fixture.engine.db.insertInto('membership').values(bob).execute()
    const both = await Promise.all(
      ['u_owen', 'u_bob'].map((id) => send('PATCH', `/users/${id}`, { isSuspended: true })),
    )
    expect(both.map(({ status }) => String(status)).sort()).toEqual(['200', '409'])
    expect(await activeOwners()).toHaveLength(1)
  })

  const acme = { id: 'acme', role: 'owner' }
  test.each([
    ['suspends', { suspended: true, accounts: [acme] }],
    ['demotes', { accounts: [{ id: 'acme', role: 'member' }] }],
    ['removes', { accounts: [] }],
  ])('a document that %s them is refused', async (_, entry) => {
    const users = [{ email: 'owen@example.com', ...entry }]
    for (const path of ['/provision', '/provision?dryRun=true']) {
      const refused = await fixture.admin(token, 'POST', path, { body: { users } })
      expect(refused.status).toBe(422)
      expect(await refused.text()).toContain('acme')
    }
    expect(await activeOwners()).toEqual(['u_owen'])
    const both = { users: [...users, { email: 'ada@example.com', accounts: [acme] }] }
    expect((await fixture.admin(token, 'POST', '/provision', { body: both })).status).toBe(200)
    expect(await activeOwners()).not.toContain('u_owen')
  })

  test('changes that keep the role are not refused', async () => {
    const accounts = [{ id: 'acme', role: 'owner' }]
    expect((await send('PATCH', owen, { accounts })).status).toBe(200)
    expect((await send('PATCH', membership, { dailyNano: '5' })).status).toBe(200)
  })

  test('two owners who remove each other leave one', async () => {
    const bob = { user_id: 'u_bob', account_id: 'acme', role: 'owner' }
    await fixture.engine.db.insertInto('membership').values(bob).execute()
    const [one, other] = [await fixture.signIn('u_owen'), await fixture.signIn('u_bob')]
    const remove = (cookie: string, id: string) =>
      fixture.send('DELETE', `${api}/accounts/acme/members?user=${id}`, { cookie })
    const both = await Promise.all([remove(one, 'u_bob'), remove(other, 'u_owen')])
    expect(both.map(({ status }) => String(status)).sort()).toEqual(['200', '404'])
    expect((await rolesIn('acme')).filter((each) => each.endsWith('owner'))).toHaveLength(1)
  })
})
