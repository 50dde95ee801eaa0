import type { ConsoleFixture } from '../../support/console/console-fixture.ts'
import { addFailedMessage } from '../../support/store/failed-message.ts'
import { seedRecording } from '../../support/store/recording-seed.ts'

/* One successful call of every operation of the admin API that is not a GET, in an order in which each succeeds. */

export interface GoodCall {
  /** As in the API description. */
  readonly name: string
  readonly path: string
  readonly body?: object
  /** The token: for the whole gateway unless it belongs to an owner of the account acme. */
  readonly isOfOwner?: true
}

/** Ids that exist only after `prepare`. */
export interface Prepared {
  readonly recording: string
  readonly alert: string
  readonly message: string
  readonly invited: string
  readonly token: string
  readonly credit: string
}

const price = {
  inputNano: '1',
  cacheReadNano: '1',
  cacheWrite5mNano: '1',
  cacheWrite1hNano: '1',
  outputNano: '2',
}
const openai = { vendor: 'openai', baseUrl: 'https://api.example.com/v1' }
const alert = {
  accountId: 'acme',
  name: 'Low',
  channel: 'webhook',
  url: 'https://hooks.example.com/a',
  secret: 'a-secret-that-signs-webhooks',
  kinds: ['credit_low'],
}
const route = { group: 'default', model: 'gpt-x', upstream: 'one', upstreamModel: 'x' }

type Send = (method: string, path: string, body?: object, isOfOwner?: true) => Promise<unknown>

/** Creates what the calls refer to. */
export async function prepare(fixture: ConsoleFixture, send: Send): Promise<Prepared> {
  const recording = await seedRecording(fixture, { isOpenToOperators: true })
  await fixture.engine.db
    .insertInto('audit_stop')
    .values({ account_id: 'acme', found_at: 1, findings: '[]', released_at: null })
    .execute()
  await send('PUT', '/keys/left', { accountId: 'globex', ownerId: 'u_bob', name: 'Left' })
  await send('PUT', '/keys/doomed', { accountId: 'acme', name: 'Doomed' })
  await send('PATCH', '/users/u_bob?force=true', { accounts: [] })
  for (const id of ['doomed', 'changed']) {
    await send('PUT', `/groups/${id}`, {})
    await send('PUT', `/models/${id}`, { displayName: id })
    await send('PUT', `/upstreams/${id}`, openai)
  }
  await send('PUT', '/upstreams/changed/credentials', { name: 'old', value: 'a-credential-value' })
  const credit = { amountNano: '5', reason: 'gift', externalId: 'prepared' }
  const rich = (await send('POST', '/accounts/globex/credits', credit)) as {
    credits: { id: string }[]
  }
  const made = (await send('POST', '/alerts', alert)) as { id: string }
  const person = { email: 'invited@example.com', role: 'member' }
  const invited = (await send('POST', '/accounts/acme/members', person, true)) as {
    member: { userId: string }
  }
  const named = { name: 'to revoke', scopes: ['read'] }
  const { token } = (await send('POST', '/tokens', named)) as { token: { id: string } }
  return {
    recording,
    alert: made.id,
    message: await addFailedMessage(fixture, { alertId: made.id, accountId: 'acme' }),
    invited: invited.member.userId,
    token: token.id,
    credit: rich.credits[0]?.id ?? '',
  }
}

export function goodCalls(on: Prepared): readonly GoodCall[] {
  const rows: readonly (readonly [string, string, object?])[] = [
    ['POST /keys', '/keys', { accountId: 'acme', name: 'Made', ownerId: null }],
    ['PATCH /keys/{id}', '/keys/key_a1', { name: 'Changed' }],
    ['PUT /keys/{id}', '/keys/put', { accountId: 'acme', name: 'Put' }],
    ['POST /keys/{id}/reveal', '/keys/key_a1/reveal'],
    ['POST /keys/{id}/rotate', '/keys/key_a2/rotate'],
    ['POST /keys/{id}/convert', '/keys/left/convert'],
    ['DELETE /keys/{id}', '/keys/doomed'],
    ['PATCH /accounts/{id}/profile', '/accounts/acme/profile', { name: 'Renamed' }],
    [
      'POST /accounts/{id}/members',
      '/accounts/acme/members',
      { email: 'added@example.com', role: 'member' },
    ],
    [
      'PATCH /accounts/{id}/members',
      '/accounts/acme/members?user=u_ann',
      { dailyNano: '1000000000' },
    ],
    ['DELETE /accounts/{id}/members', '/accounts/acme/members?user=u_vera'],
    ['POST /accounts/{id}/recordings/export', '/accounts/acme/recordings/export'],
    ['POST /recordings/{id}/reveal', `/recordings/${on.recording}/reveal`],
    ['POST /accounts/{id}/recordings/erase', '/accounts/acme/recordings/erase', { endUser: 'ann' }],
    ['POST /upstreams', '/upstreams', { id: 'made', ...openai }],
    ['PATCH /upstreams/{id}', '/upstreams/changed', { concurrencyMax: 3 }],
    ['PUT /upstreams/{id}', '/upstreams/put', openai],
    ['POST /upstreams/{id}/test', '/upstreams/changed/test', { model: 'x' }],
    [
      'POST /upstreams/{id}/credentials',
      '/upstreams/changed/credentials',
      { name: 'added', value: 'another-credential-value' },
    ],
    [
      'PUT /upstreams/{id}/credentials',
      '/upstreams/changed/credentials',
      { name: 'put', value: 'a-third-credential-value' },
    ],
    ['PATCH /credentials/{id}', '/credentials/cred_1', { concurrentRequests: 2 }],
    ['DELETE /credentials/{id}', '/credentials/cred_1'],
    ['DELETE /upstreams/{id}', '/upstreams/doomed'],
    ['PUT /routes', '/routes?upstream=one', { routes: [route] }],
    ['POST /models', '/models', { id: 'made', displayName: 'Made' }],
    ['PATCH /models/{id}', '/models/changed', { displayName: 'Changed' }],
    ['PUT /models/{id}', '/models/put', { displayName: 'Put' }],
    ['POST /models/{id}/prices', '/models/changed/prices', { price }],
    ['DELETE /models/{id}', '/models/doomed'],
    ['POST /groups', '/groups', { id: 'made' }],
    ['PATCH /groups/{id}', '/groups/changed', { factor: '2' }],
    ['PUT /groups/{id}', '/groups/put', {}],
    ['DELETE /groups/{id}', '/groups/doomed'],
    ['POST /accounts', '/accounts', { id: 'made', name: 'Made', creditNano: '7' }],
    ['PATCH /accounts/{id}', '/accounts/globex', { monthlyNano: '5000000000' }],
    ['PUT /accounts/{id}', '/accounts/put', { name: 'Put' }],
    [
      'POST /accounts/{id}/credits',
      '/accounts/globex/credits',
      { amountNano: '11', reason: 'gift', externalId: 'granted' },
    ],
    ['POST /credits/{id}/reverse', `/credits/${on.credit}/reverse`],
    ['POST /accounts/{id}/reverse', '/accounts/globex/reverse', { credit: 'granted' }],
    ['POST /accounts/{id}/release', '/accounts/acme/release'],
    ['POST /users', '/users', { email: 'made@example.com', role: 'member', accounts: [] }],
    ['PATCH /users/{id}', '/users/u_new', { isSuspended: true }],
    ['PUT /users/{id}', '/users/u_new', { role: 'member', accounts: [], isSuspended: false }],
    ['POST /users/{id}/sign-in-link', '/users/u_new/sign-in-link'],
    ['POST /users/{id}/vouch', `/users/${on.invited}/vouch`],
    ['POST /users/{id}/totp/remove', '/users/u_new/totp/remove'],
    ['POST /users/{id}/passkeys/remove', '/users/u_new/passkeys/remove'],
    ['POST /users/{id}/open-id/remove', '/users/u_new/open-id/remove'],
    ['DELETE /users/{id}', '/users/u_new'],
    ['POST /tokens', '/tokens', { name: 'Made', scopes: ['read'] }],
    ['DELETE /tokens/{id}', `/tokens/${on.token}`],
    ['POST /alerts', '/alerts', alert],
    ['PUT /alerts/{id}', '/alerts/put', alert],
    ['PATCH /alerts/{id}', `/alerts/${on.alert}`, { name: 'Lower' }],
    ['POST /alerts/{id}/test', `/alerts/${on.alert}/test`],
    ['POST /messages/{id}/resend', `/messages/${on.message}/resend`],
    ['DELETE /alerts/{id}', `/alerts/${on.alert}`],
    [
      'POST /explain',
      '/explain',
      { protocol: 'chat-completions', keyId: 'key_a1', body: '{"model":"gpt-x","messages":[]}' },
    ],
    ['POST /check-ledger', '/check-ledger'],
    ['POST /replay', '/replay'],
    ['POST /provision', '/provision', { groups: [{ id: 'applied', factor: 1.5 }] }],
  ]
  const ofOwner: GoodCall = {
    name: 'PATCH /accounts/{id}/recording',
    path: '/accounts/acme/recording',
    body: { readers: 'members' },
    isOfOwner: true,
  }
  return [ofOwner, ...rows.map(([name, path, body]) => ({ name, path, ...(body && { body }) }))]
}
