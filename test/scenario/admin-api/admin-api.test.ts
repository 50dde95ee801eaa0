import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { type ConsoleFixture, openConsoleFixture } from '../../support/console/console-fixture.ts'

let fixture: ConsoleFixture
let all: string
beforeAll(async () => {
  fixture = await openConsoleFixture()
  all = await fixture.makeToken(['all'])
})
afterAll(() => fixture.close())

interface Sent {
  readonly token?: string | undefined
  readonly body?: unknown
  readonly headers?: Record<string, string>
}

async function call(method: string, path: string, { token = all, ...options }: Sent = {}) {
  const response = await fixture.admin(token, method, path, options)
  const text = await response.text()
  const body = text === '' ? undefined : JSON.parse(text)
  return { status: response.status, headers: response.headers, body }
}

describe('PUT by id', () => {
  const rows: readonly [string, unknown, unknown][] = [
    ['/groups/new-group', { factor: '1.5' }, { factor: '2' }],
    ['/models/new-model', { displayName: 'New' }, { displayName: 'Newer', contextTokens: 1000 }],
    [
      '/upstreams/new-upstream',
      { vendor: 'openai', baseUrl: 'https://api.example.com/v1' },
      { vendor: 'openai', baseUrl: 'https://api.example.com/v1', concurrencyMax: 3 },
    ],
    ['/accounts/new-account', { name: 'New' }, { name: 'Newer' }],
    [
      '/keys/new-key',
      { accountId: 'acme', name: 'New' },
      { accountId: 'acme', name: 'New', quotaNano: '5000000000' },
    ],
  ]
  test.each(rows)(
    '%s is created once, and an equal repeat changes nothing',
    async (path, first, second) => {
      const made = await call('PUT', path, { body: first })
      expect([made.status, made.headers.get('etag')]).toEqual([201, expect.any(String)])
      const again = await call('PUT', path, { body: first })
      expect([again.status, again.headers.get('etag')]).toEqual([200, made.headers.get('etag')])
      const read = await call('GET', path)
      expect([read.status, read.headers.get('etag')]).toEqual([200, made.headers.get('etag')])

      const changed = await call('PUT', path, { body: second })
      expect(changed.status).toBe(200)
      expect(changed.headers.get('etag')).not.toBe(made.headers.get('etag'))
      // Absent members get the defaults of a new resource.
      const back = await call('PUT', path, { body: first })
      expect(back.headers.get('etag')).toBe(made.headers.get('etag'))
    },
  )

  test.each(rows)('%s: a change with a stale tag is refused', async (row, first) => {
    const path = `${row}-guarded`
    await call('PUT', path, { body: first })
    const { headers } = await call('GET', path)
    const old = headers.get('etag') ?? ''
    expect((await call('PUT', path, { body: first, headers: { 'if-match': old } })).status).toBe(
      200,
    )
    const stale = await call('PUT', path, { body: first, headers: { 'if-match': '"stale"' } })
    expect([stale.status, stale.body.code, stale.headers.get('etag')]).toEqual([
      412,
      'precondition_failed',
      old,
    ])
    const made = await call('PUT', path, { body: first, headers: { 'if-none-match': '*' } })
    expect(made.status).toBe(412)
  })

  test('of an alert keeps absent secrets; the account and the channel stay', async () => {
    const secrets = { url: 'https://hooks.example.com/a', secret: 'a-secret-that-signs-webhooks' }
    const alert = { accountId: 'acme', name: 'Low', channel: 'webhook', kinds: ['credit_low'] }
    const bare = await call('PUT', '/alerts/low', { body: alert })
    expect([bare.status, bare.body.errors[0].code]).toEqual([422, 'alert_url_needed'])
    const made = await call('PUT', '/alerts/low', { body: { ...alert, ...secrets } })
    expect([made.status, made.body.id, made.body.urlHost]).toEqual([
      201,
      'low',
      'hooks.example.com',
    ])
    const same = await call('PUT', '/alerts/low', { body: alert })
    expect([same.status, same.headers.get('etag')]).toEqual([200, made.headers.get('etag')])
    for (const other of [
      { ...alert, accountId: 'globex', ...secrets },
      { ...alert, channel: 'slack', url: secrets.url },
    ]) {
      const told = await call('PUT', '/alerts/low', { body: other })
      expect([told.status, told.body.errors[0].code]).toEqual([409, 'alert_taken'])
    }
    const globex = await fixture.makeToken(['all'], 'globex')
    const body = { ...alert, accountId: 'globex' }
    for (const headers of [{}, { 'if-match': '*' }]) {
      const foreign = await call('PUT', '/alerts/low', { token: globex, body, headers })
      expect([409, 412]).toContain(foreign.status)
      expect(foreign.headers.get('etag')).toBeNull()
    }
    const { body: audit } = await call('GET', '/audit?subject=low')
    expect(audit.rows.map((entry: { action: string }) => entry.action)).toEqual(['alert.created'])
  })

  test('returns the value of a key only on creation', async () => {
    const body = { accountId: 'acme', name: 'Told once' }
    const made = await call('PUT', '/keys/told-once', { body })
    expect(made.body.value).toMatch(/^sk-/)
    const again = await call('PUT', '/keys/told-once', { body })
    expect(again.body).toEqual({ key: made.body.key, value: null })
  })

  test('a key of another account, or one that was deleted, is not touched', async () => {
    const foreign = await call('PUT', '/keys/key_a1', {
      body: { accountId: 'globex', name: 'Mine' },
    })
    expect([foreign.status, foreign.body.code, foreign.headers.get('etag')]).toEqual([
      409,
      'conflict',
      null,
    ])
    const body = { accountId: 'acme', name: 'Gone' }
    await call('PUT', '/keys/gone', { body })
    await call('DELETE', '/keys/gone')
    expect((await call('PUT', '/keys/gone', { body })).status).toBe(409)
  })

  test('a no-op is not in the audit log', async () => {
    const body = { factor: '3' }
    await call('PUT', '/groups/quiet', { body })
    await call('PUT', '/groups/quiet', { body })
    const { body: audit } = await call('GET', '/audit?subject=quiet')
    expect(audit.rows.map((entry: { action: string }) => entry.action)).toEqual(['group.created'])
  })
})

describe('refusals', () => {
  test.each([
    ['no token', undefined, 'GET', '/groups', 401, 'invalid_token'],
    ['an unknown token', 'tgat_no', 'GET', '/groups', 401, 'invalid_token'],
  ])('%s', async (_, token, method, path, status, code) => {
    const response = await fixture.admin(token, method, path)
    expect(response.status).toBe(status)
    expect(response.headers.get('content-type')).toBe('application/problem+json')
    expect(response.headers.get('www-authenticate')).toBe('Bearer realm="admin"')
    expect(await response.json()).toMatchObject({ status, code, requestId: expect.any(String) })
  })

  test('the error points to the invalid field', async () => {
    const { status, body } = await call('PUT', '/groups/wrong', { body: { factor: 'x' } })
    expect([status, body.errors[0].pointer]).toEqual([400, '#/factor'])
    const unknown = await call('GET', '/groups?nothing=1')
    expect([unknown.status, unknown.body.errors[0]]).toMatchObject([
      400,
      { code: 'member_unknown' },
    ])
  })
})

describe('an operation without a body', () => {
  const without: readonly [string, string][] = [
    ['POST', '/keys/key_a1/rotate'],
    ['DELETE', '/keys/key_a1'],
    ['POST', '/credits/c1/reverse'],
  ]
  test.each(without)('%s %s refuses members, and does nothing', async (method, path) => {
    const before = await call('GET', '/audit?limit=1')
    for (const [body, code] of [
      [{ amountNano: '1' }, 'member_unknown'],
      ['[]', 'body_not_object'],
      ['junk', 'body_not_object'],
    ] as const) {
      const told = await call(method, path, { body })
      expect([told.status, told.body.errors[0].code]).toEqual([400, code])
    }
    expect((await call('GET', '/audit?limit=1')).body).toEqual(before.body)
  })

  test('may be sent an empty object', async () => {
    expect((await call('POST', '/keys/key_a1/rotate', { body: {} })).status).toBe(200)
    expect((await call('POST', '/keys/key_a1/rotate', { body: ' ' })).status).toBe(200)
  })
})

describe('refusals for programs', () => {
  test.each([
    ['a limit that is too large', 'GET', '/keys?limit=501', undefined, '1 to 500'],
    [
      'an amount in US$',
      'POST',
      '/accounts/acme/credits',
      { amountNano: '5.00', reason: 'r', externalId: 'e' },
      '"5000000000" for $5',
    ],
    ['a quota in US$', 'PATCH', '/keys/key_a1', { quotaNano: '5.00' }, '"5000000000" for $5'],
    ['a number as an amount', 'PATCH', '/keys/key_a1', { quotaNano: 5 }, '"5000000000" for $5'],
  ])('%s: the message says what is accepted', async (_, method, path, body, says) => {
    const told = await call(method, path, { body })
    expect([told.status, told.body.detail]).toEqual([400, expect.stringContaining(says)])
  })
})

describe('money', () => {
  test('is moved once for one idempotency key, with a new account too', async () => {
    const key = { 'idempotency-key': 'one' }
    const body = { id: 'rich', name: 'Rich', creditNano: '7000000000' }
    const made = await call('POST', '/accounts', { body, headers: key })
    const again = await call('POST', '/accounts', { body, headers: key })
    expect([made.status, again.status, again.headers.get('idempotency-replayed')]).toEqual([
      200,
      200,
      'true',
    ])
    expect(again.body).toEqual(made.body)
    const other = await call('POST', '/accounts', { body: { ...body, id: 'r2' }, headers: key })
    expect([other.status, other.body.code]).toEqual([422, 'idempotency_key_reused'])
  })

  test('needs the scope money, also for a new account', async () => {
    const token = await fixture.makeToken(['accounts'])
    const poor = await call('POST', '/accounts', { token, body: { id: 'poor', name: 'Poor' } })
    expect(poor.status).toBe(200)
    const body = { id: 'rich2', name: 'Rich', creditNano: '1' }
    const rich = await call('POST', '/accounts', { token, body })
    expect([rich.status, rich.body.code]).toEqual([403, 'scope_missing'])
  })
})

describe('the description', () => {
  test('needs no token and has no dangling references', async () => {
    const response = await fixture.admin(undefined, 'GET', '/openapi.json')
    const text = await response.text()
    const document = JSON.parse(text)
    expect([response.status, document.openapi]).toEqual([200, '3.1.0'])
    const names = Object.keys(document.components.schemas)
    for (const [, name] of text.matchAll(/#\/components\/schemas\/(\w+)/g)) {
      expect(names).toContain(name ?? '')
    }
    expect(text).not.toContain('#/$defs')
    expect(document.paths['/keys/{id}'].put.requestBody.content['application/json'].schema).toEqual(
      {
        $ref: '#/components/schemas/PutKey',
      },
    )
  })

  test('names the tokens that suffice: none of an operator where only the account decides', async () => {
    const response = await fixture.admin(undefined, 'GET', '/openapi.json')
    const { paths } = JSON.parse(await response.text())
    const { get, patch } = paths['/accounts/{id}/recording']
    expect([get['x-reach'], patch['x-reach']]).toEqual(['account', 'own-account'])
    expect(patch.description).toEndWith(
      ', and a token that an owner of the account concerned has made.',
    )
    // Both were made by an operator.
    for (const token of [
      await fixture.makeToken(['all']),
      await fixture.makeToken(['all'], 'acme'),
    ]) {
      const body = { scope: 'off' }
      const { status } = await call('PATCH', '/accounts/acme/recording', { token, body })
      expect(status).toBe(403)
    }
  })
})

describe('a token for one account', () => {
  test('acts as an owner of this account, and sees no other account', async () => {
    const token = await fixture.makeToken(['all'], 'acme')
    const profile = await call('GET', '/accounts/acme/profile', { token })
    expect([profile.status, profile.body.yourRole]).toEqual([200, 'owner'])
    expect((await call('GET', '/accounts/globex/profile', { token })).status).toBe(404)
    const { body: facets } = await call('GET', '/usage/facets', { token })
    expect(facets.accounts.map((account: { id: string }) => account.id)).toEqual(['acme'])
    const { body: keys } = await call('GET', '/keys', { token })
    expect(new Set(keys.keys.map((key: { accountId: string }) => key.accountId))).toEqual(
      new Set(['acme']),
    )
    expect((await call('GET', '/accounts', { token })).status).toBe(403)
  })
})
