import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import type { UsageAnswer } from '../../../../src/console-api/contract.ts'
import type { Tables } from '../../../../src/store/tables/tables.ts'
import { readJson } from '../../../support/console/console-fixture.ts'
import { addFailedMessage } from '../../../support/store/failed-message.ts'
import { seedRecording } from '../../../support/store/recording-seed.ts'
import { type OwnerFixture, openOwnerFixture } from '../keys/key-owner-fixture.ts'

/*
 * A change in the caller's own account whose path, query or body names something of another account. The matrix asks for
 * resources of another account; here the caller has every right in the account that the call is about. The tokens are in
 * test/scenario/admin-api/foreign-names.test.ts.
 */

/** All own globex. Max is a member of acme as well, and Mona a viewer; Lee was a member. */
const callers = {
  'an owner of another account': 'u_bob',
  'who is a member here': 'u_max',
  'who is a viewer here': 'u_mona',
  'who has left this account': 'u_left',
} as const

const key = { accountId: 'globex', name: 'New', groups: ['default'] }
const alert = {
  accountId: 'globex',
  name: 'New',
  channel: 'webhook',
  url: 'https://hooks.example.com/',
  kinds: ['credit_low'],
}
const token = {
  name: 'New',
  scopes: ['all'],
  accountId: 'globex',
  expiresAt: null,
  addresses: null,
}

type Attempt = readonly [what: string, method: string, path: string, body: object, refused: string]
const unfit = '409 unfit'
const wrong = '400 invalid_request'
const gone = '404 not_found'
const taken = '409 conflict'
const attempts = (message: string): readonly Attempt[] => [
  ['a key for a member of acme', 'POST', '/keys', { ...key, ownerId: 'u_ann' }, unfit],
  ['the same, by address', 'POST', '/keys', { ...key, ownerId: 'ann@example.com' }, unfit],
  ['the key of acme, with PUT', 'PUT', '/keys/key_a1', key, taken],
  ['the key of a member, with PUT', 'PUT', '/keys/key_ann', { ...key, ownerId: 'u_ann' }, taken],
  ['a key that moves to acme', 'PATCH', '/keys/key_g1', { accountId: 'acme' }, wrong],
  ['a key for another user', 'PATCH', '/keys/key_g1', { ownerId: 'u_ann' }, wrong],
  ['a key of acme', 'PATCH', '/keys/key_a1', { name: 'Mine' }, gone],
  ['a role in acme', 'PATCH', '/accounts/globex/members?user=u_ann', { role: 'viewer' }, gone],
  ['a budget in acme', 'PATCH', '/accounts/globex/members?user=u_ann', { dailyNano: '1' }, gone],
  ['a membership in acme', 'DELETE', '/accounts/globex/members?user=u_ann', {}, gone],
  ['an alert of acme', 'POST', '/alerts?account=globex', { ...alert, accountId: 'acme' }, unfit],
  ['an alert of acme', 'POST', '/alerts', { ...alert, accountId: 'acme' }, unfit],
  ['an alert of the gateway', 'POST', '/alerts', { ...alert, accountId: null }, unfit],
  ['an alert of acme, with PUT', 'PUT', '/alerts/alert_a1?account=globex', alert, taken],
  ['an alert of acme', 'PATCH', '/alerts/alert_a1?account=globex', { name: 'Mine' }, gone],
  ['an alert that moves', 'PATCH', '/alerts/alert_g1?account=globex', { accountId: 'acme' }, wrong],
  ['an alert of acme', 'PATCH', '/alerts/alert_a1', { name: 'Mine' }, gone],
  ['an alert of acme', 'DELETE', '/alerts/alert_a1?account=globex', {}, gone],
  ['a test of an alert of acme', 'POST', '/alerts/alert_a1/test?account=globex', {}, gone],
  [
    'alerts to a member of acme',
    'POST',
    '/alerts',
    { ...alert, channel: 'email', url: undefined, emails: ['ann@example.com'] },
    unfit,
  ],
  ['a message of acme', 'POST', `/messages/${message}/resend?account=globex`, {}, gone],
  ['a message of acme', 'POST', `/messages/${message}/resend`, {}, gone],
  ['a token for acme', 'POST', '/tokens?account=globex', { ...token, accountId: 'acme' }, unfit],
  ['a token for acme', 'POST', '/tokens', { ...token, accountId: 'acme' }, unfit],
  ['a token of acme', 'DELETE', '/tokens/tok_a1?account=globex', {}, gone],
  ['a token of acme', 'DELETE', '/tokens/tok_a1', {}, gone],
  [
    'recordings of a key of acme',
    'PATCH',
    '/accounts/globex/recording',
    { scope: 'keys', keyIds: ['key_a1'] },
    unfit,
  ],
]

describe.each(Object.entries(callers))('%s', (_name, user) => {
  let fixture: OwnerFixture
  let message: string
  let cookie: string

  beforeEach(async () => {
    fixture = await openOwnerFixture()
    message = await addThings(fixture)
    cookie = await fixture.signIn(user)
  })
  afterEach(() => fixture.close())

  const send = (method: string, path: string, body: object) =>
    fixture.send(method, `/console/api${path}`, { cookie, body })

  test('names nothing of acme in a change of globex', async () => {
    const before = await stateOf(fixture)
    const answers: string[] = []
    for (const [what, method, path, body] of attempts(message)) {
      const response = await send(method, path, body)
      const [, code] = /"code":"(\w+)"/.exec(await response.text()) ?? []
      answers.push(`${what}: ${method} ${path}: ${response.status} ${code}`)
      expect([what, path, await stateOf(fixture)]).toEqual([what, path, before])
    }
    expect(answers).toEqual(
      attempts(message).map(
        ([what, method, path, , refused]) => `${what}: ${method} ${path}: ${refused}`,
      ),
    )
    expect(fixture.errors).toEqual([])
  })

  test('erases nothing that acme has recorded', async () => {
    const before = await stateOf(fixture)
    const path = '/accounts/globex/recordings/erase'
    expect((await send('POST', path, { endUser: 'ann' })).status).toBe(200)
    expect((await stateOf(fixture)).rows).toEqual(before.rows)
  })
})

test('of a repeated parameter, the value counts that was checked', async () => {
  const fixture = await openOwnerFixture()
  await addThings(fixture)
  const cookie = await fixture.signIn('u_max')
  const before = await stateOf(fixture)
  for (const [method, path, status] of [
    ['DELETE', '/accounts/acme/members?user=u_ann&user=u_max', 403],
    ['PATCH', '/accounts/globex/members?user=u_ann&user=u_max', 404],
    ['PATCH', '/alerts/alert_a1?account=globex&account=acme', 404],
    ['DELETE', '/alerts/alert_a1?account=&account=acme', 404],
    ['GET', '/usage?account=globex&account=acme&key=key_a1', 200],
  ] as const) {
    const body = method === 'PATCH' ? { name: 'Mine' } : {}
    const sent = path.startsWith('/accounts') && method === 'PATCH' ? { role: 'viewer' } : body
    const response = await fixture.send(method, `/console/api${path}`, { cookie, body: sent })
    expect([path, response.status]).toEqual([path, status])
    if (status === 200) expect((await readJson<UsageAnswer>(response)).rows).toEqual([])
    expect(await stateOf(fixture)).toEqual(before)
  }
  await fixture.close()
})

/** Returns the id of a message of acme that can be sent again. */
async function addThings(fixture: OwnerFixture): Promise<string> {
  const { db } = fixture.engine
  const person = { password_hash: null, role: 'member', created_at: 1 }
  await db
    .insertInto('console_user')
    .values(['u_max', 'u_mona'].map((id) => ({ ...person, id, email: `${id}@example.com` })))
    .execute()
  await db
    .insertInto('membership')
    .values([
      ...['u_max', 'u_mona', 'u_left'].map((user_id) => ({
        user_id,
        account_id: 'globex',
        role: 'owner',
      })),
      { user_id: 'u_max', account_id: 'acme', role: 'member' },
      { user_id: 'u_mona', account_id: 'acme', role: 'viewer' },
    ])
    .execute()
  for (const [id, account_id] of [
    ['alert_a1', 'acme'],
    ['alert_g1', 'globex'],
  ] as const) {
    await db
      .insertInto('alert')
      .values({
        id,
        account_id,
        name: 'Money',
        channel: 'webhook',
        emails: '[]',
        url_sealed: null,
        url_host: 'hooks.example.com',
        secret_sealed: null,
        kinds: '["credit_low"]',
        credit_below_nano: 1n,
        key_expiry_days: 7,
        spend_factor: 3,
        spend_floor_nano: 1n,
        language: 'en',
        enabled: 1,
        created_at: 1,
      })
      .execute()
  }
  await db
    .insertInto('admin_token')
    .values({
      id: 'tok_a1',
      name: 'Deploys',
      value_hash: 'hash-of-a-token-of-the-admin-api',
      value_hint: 'tgat_…abcd',
      scopes: '["keys"]',
      account_id: 'acme',
      made_by: 'cli',
      created_at: 1,
    })
    .execute()
  await seedRecording(fixture)
  return addFailedMessage(fixture, { alertId: 'alert_a1', accountId: 'acme' })
}

const tables = [
  'api_key',
  'membership',
  'alert',
  'outbox',
  'recording_policy',
  'recording',
] as const satisfies readonly (keyof Tables)[]

/** Everything of acme and of the gateway that these changes name, and what is in the audit log. */
async function stateOf({ engine: { db } }: OwnerFixture) {
  const rows = await Promise.all(
    tables.map((table) => db.selectFrom(table).selectAll().execute() as Promise<object[]>),
  )
  const tokens = await db.selectFrom('admin_token').select(['id', 'revoked_at']).execute()
  const audit = await db.selectFrom('audit').select('action').execute()
  return { rows: [...rows, tokens], audit }
}
