import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test'
import type {
  ErrorAnswer,
  KeyPut,
  MemberAdded,
  RevealedKey,
  UserWithLink,
} from '../../../../src/console-api/contract.ts'
import { cookieOf, readJson } from '../../../support/console/console-fixture.ts'
import { type FreshDatabase, freshDatabase } from '../../../support/postgres/fresh-database.ts'
import { postgresServerUrl } from '../../../support/postgres/postgres-server-url.ts'
import { type OwnerFixture, openOwnerFixture } from './key-owner-fixture.ts'

/*
 * Operators and owners of an account can get a link that signs in as another user. Whoever opens it sees no value of a
 * key that the user has made, whether the key is older or newer than the link.
 */

const api = '/console/api'

describe('links that other people have, on SQLite', () => linkTests())
if (postgresServerUrl('links that other people have, on Postgres') !== undefined) {
  describe('links that other people have, on Postgres', () => linkTests(freshDatabase))
}

function linkTests(makeDatabase?: () => Promise<FreshDatabase>): void {
  let database: FreshDatabase | undefined
  let fixture: OwnerFixture
  beforeAll(async () => {
    database = await makeDatabase?.()
    fixture = await openOwnerFixture(database?.url)
  })
  beforeEach(() => fixture.resetKeys())
  afterAll(async () => {
    await fixture.close()
    await database?.drop()
  })

  const call = (cookie: string, path: string, body: unknown = {}) =>
    fixture.post(`${api}${path}`, { cookie, body })
  const tokenIn = (url: string | null) => url?.split('#')[1] ?? ''
  const open = async (path: 'sign-in-link' | 'invitation', token: string) =>
    cookieOf(await fixture.post(`${api}/${path}`, { body: { token } }))
  const newKey = { accountId: 'acme', name: 'made after the link', groups: ['default'] }

  async function signInLink(userId: string, by: string): Promise<string> {
    const path = `/operate/users/${userId}/sign-in-link`
    const made = await readJson<UserWithLink>(call(await fixture.signIn(by), path))
    return tokenIn(made.signInUrl)
  }
  async function invite(email: string): Promise<string> {
    const owen = await fixture.signIn('u_owen')
    const request = { email, role: 'member' }
    return tokenIn(
      (await readJson<MemberAdded>(call(owen, '/accounts/acme/members', request))).invitationUrl,
    )
  }
  async function makeKey(cookie: string, more: object = {}): Promise<string> {
    return (await readJson<KeyPut>(call(cookie, '/keys', { ...newKey, ...more }))).key.id
  }
  async function reveal(cookie: string, id: string): Promise<string> {
    const response = await call(cookie, `/keys/${id}/reveal`)
    const answer = await readJson<RevealedKey | ErrorAnswer>(response)
    if ('value' in answer) return 'the value'
    return `${response.status} ${answer.error.detail ?? answer.error.code}`
  }

  test('an operator sees no key that the user makes before the operator opens the link', async () => {
    const ann = await fixture.signIn('u_ann')
    const token = await signInLink('u_ann', 'u_root')
    const key = await makeKey(ann)
    expect(await reveal(ann, key)).toBe('the value')
    const operator = await open('sign-in-link', token)
    expect(await reveal(operator, key)).toBe('409 value_hidden')
    expect(await reveal(operator, 'key_ann')).toBe('409 value_hidden')
    expect(await reveal(ann, key)).toBe('409 value_hidden')
    // The key still exists, and nothing else may say that it does not.
    const asked = { protocol: 'chat-completions', keyId: key, body: '{}' }
    const explained = await call(await fixture.signIn('u_root'), '/operate/explain', asked)
    const { error } = await readJson<ErrorAnswer>(explained)
    expect([explained.status, error.detail]).toEqual([409, 'value_hidden'])
  })

  test('nor with the link of a new user who signs in another way first', async () => {
    const root = await fixture.signIn('u_root')
    const accounts = [{ id: 'acme', role: 'member' }]
    const body = { email: 'una@example.com', role: 'member', accounts }
    const { user, signInUrl } = await readJson<UserWithLink>(call(root, '/operate/users', body))
    const una = await fixture.signIn(user.id)
    const key = await makeKey(una)
    expect(await reveal(await open('sign-in-link', tokenIn(signInUrl)), key)).toBe(
      '409 value_hidden',
    )
  })

  test('a new user sees the key that an owner has made for them', async () => {
    const root = await fixture.signIn('u_root')
    const accounts = [{ id: 'acme', role: 'member' }]
    const body = { email: 'uta@example.com', role: 'member', accounts }
    const { user, signInUrl } = await readJson<UserWithLink>(call(root, '/operate/users', body))
    const key = await makeKey(await fixture.signIn('u_owen'), { ownerId: user.id })
    expect(await reveal(await open('sign-in-link', tokenIn(signInUrl)), key)).toBe('the value')
  })

  test('users see their values after a link of their own', async () => {
    // From the start of the gateway.
    expect(await reveal(await fixture.signIn('u_ann'), 'key_ann')).toBe('the value')
    expect(await reveal(await fixture.signIn('u_ann'), 'key_ann')).toBe('the value')
    const { db } = fixture.engine
    const own = db.updateTable('api_key').where('id', '=', 'key_owen')
    await own.set({ owner_user_id: 'u_root' }).execute()
    const row = { user_id: 'u_root', account_id: 'acme', role: 'member' }
    await db.insertInto('membership').values(row).execute()
    const again = await open('sign-in-link', await signInLink('u_root', 'u_root'))
    expect(await reveal(again, 'key_owen')).toBe('the value')
    await db.deleteFrom('membership').where('user_id', '=', 'u_root').execute()
  })

  test('nothing that an inviter has set opens a login that is invited again', async () => {
    const inviter = await open('invitation', await invite('ida@example.com'))
    const password = 'chosen by the inviter'
    expect((await call(inviter, '/password', { password })).status).toBe(200)
    const spare = await open('invitation', await invite('ida@example.com'))
    const ida = await open('invitation', await invite('ida@example.com'))
    const key = await makeKey(ida)
    expect(await reveal(ida, key)).toBe('the value')
    expect(await reveal(inviter, key)).toBe('401 not_signed_in')
    expect(await reveal(spare, key)).toBe('401 not_signed_in')
    const body = { email: 'ida@example.com', password, account: 'acme' }
    expect((await fixture.post(`${api}/sign-in`, { body })).status).toBe(401)
  })
}
