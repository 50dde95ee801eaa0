import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { type ConsoleFixture, openConsoleFixture } from '../../support/console/console-fixture.ts'
import { patience } from '../../support/patience.ts'
import { type FreshDatabase, freshDatabase } from '../../support/postgres/fresh-database.ts'
import { postgresServerUrl } from '../../support/postgres/postgres-server-url.ts'
import { setPolicy } from '../../support/store/recording-seed.ts'

/* Unusual parameters and headers, as an operator and as an owner of one account. */

describe('odd requests on SQLite', () => oddTests())
if (postgresServerUrl('odd requests to the admin API on Postgres') !== undefined) {
  describe('odd requests on Postgres', () => oddTests(freshDatabase))
}

/** A read, and the parameter that is wrong with the code of its problem. */
const wrong: readonly (readonly [string, string, string])[] = [
  ['/keys?limit=0', 'limit', 'count_wrong'],
  ['/keys?limit=-1', 'limit', 'count_wrong'],
  ['/keys?limit=1.0', 'limit', 'count_wrong'],
  ['/keys?limit=', 'limit', 'count_wrong'],
  ['/keys?limit=%D9%A3', 'limit', 'count_wrong'],
  ['/keys?account=', 'account', 'parameter_long'],
  ['/keys?account=acme&account=globex', 'account', 'parameter_twice'],
  ['/keys?account[]=acme', 'account[]', 'member_unknown'],
  ['/keys?state=none', 'state', 'word_wrong'],
  ['/keys?sort=__proto__', 'sort', 'word_wrong'],
  ['/keys?after=', 'after', 'cursor_wrong'],
  ['/keys?after=x', 'after', 'cursor_wrong'],
  [`/keys?after=${'t0041'.repeat(1_000)}`, 'after', 'cursor_wrong'],
  ['/keys?before=n1', 'before', 'member_unknown'],
  ['/alerts?after=n1', 'after', 'cursor_wrong'],
  ['/messages?before=t0041', 'before', 'cursor_wrong'],
  ['/messages?state=lost', 'state', 'word_wrong'],
  ['/usage?before=x', 'before', 'cursor_wrong'],
  ['/usage?before=g0000000-0000-7000-8000-000000000000', 'before', 'cursor_wrong'],
  ['/usage?key=a%20b', 'key', 'id_wrong'],
  ['/usage?status=abc', 'status', 'status_wrong'],
  ['/usage?from=x', 'from', 'time_wrong'],
  ['/usage?stream=1', 'stream', 'flag_wrong'],
  ['/usage?minCost=0.5', 'minCost', 'nano_wrong'],
  ['/usage/export?format=xml', 'format', 'word_wrong'],
  ['/accounts/acme/recordings?before=x', 'before', 'cursor_wrong'],
]

/** Headers beside or instead of the token of an operator. */
const credentials: readonly (readonly [string, (token: string, other: string) => string])[] = [
  ['two tokens, separated by a comma', (token, other) => `Bearer ${token}, Bearer ${other}`],
  ['the same token twice', (token) => `Bearer ${token}, Bearer ${token}`],
  ['two values', (token, other) => `Bearer ${token} ${other}`],
  ['two values without a space', (token, other) => `Bearer ${token},${other}`],
  ['no scheme', (token) => token],
  ['another scheme', (token) => `Basic ${token}`],
  ['a tab', (token) => `Bearer\t${token}`],
  ['a cut token', (token) => `Bearer ${token.slice(0, -1)}`],
  ['a longer token', (token) => `Bearer ${token}x`],
]

function oddTests(makeDatabase?: () => Promise<FreshDatabase>): void {
  let database: FreshDatabase | undefined
  let fixture: ConsoleFixture
  let operator: string
  let acme: string
  let globex: string
  beforeAll(async () => {
    database = await makeDatabase?.()
    fixture = await openConsoleFixture(database ? { databaseUrl: database.url } : {})
    operator = await fixture.makeToken(['all'])
    acme = await fixture.makeToken(['all'], 'acme')
    globex = await fixture.makeToken(['all'], 'globex')
    await setPolicy(fixture, { scope: 'all', isOpenToOperators: true })
  }, patience(30_000))
  afterAll(async () => {
    await fixture.close()
    await database?.drop()
  })

  async function ask(
    token: string,
    method: string,
    path: string,
    { headers = {}, body }: { headers?: Record<string, string>; body?: unknown } = {},
  ) {
    const response = await fixture.admin(token, method, path, { headers, body })
    return {
      status: response.status,
      headers: response.headers,
      told: JSON.parse(await response.text()),
    }
  }

  test.each(wrong)('%s is refused', async (path, parameter, code) => {
    for (const token of [operator, acme]) {
      const { status, told } = await ask(token, 'GET', path)
      expect([status, told.errors]).toMatchObject([400, [{ parameter, code }]])
    }
    expect(fixture.errors).toEqual([])
  })

  test.each(credentials)('%s is no valid token', async (_, write) => {
    for (const [token, other] of [
      [operator, acme],
      [acme, operator],
    ] as const) {
      const headers = { authorization: write(token, other) }
      const { status, told } = await ask('', 'GET', '/keys', { headers })
      expect([status, told.code, told.keys]).toEqual([401, 'invalid_token', undefined])
    }
  })

  test('a token in another place has no effect', async () => {
    const headers = { 'x-api-key': operator, cookie: `token=${operator}` }
    const { status, told } = await ask(acme, 'GET', '/groups', { headers })
    expect([status, told.code]).toEqual([403, 'scope_missing'])
    const query = await ask(acme, 'GET', `/keys?token=${operator}`)
    expect([query.status, JSON.stringify(query.told).includes(operator)]).toEqual([400, false])
  })

  test('a read ignores preconditions: the tag says nothing about figures', async () => {
    for (const token of [operator, acme]) {
      const tag = (await ask(token, 'GET', '/keys/key_a1')).headers.get('etag') ?? ''
      const conditions: readonly Record<string, string>[] = [
        { 'if-none-match': tag },
        { 'if-none-match': '*' },
        { 'if-match': '"other"' },
        { 'if-match': 'junk' },
      ]
      for (const headers of conditions) {
        const read = await ask(token, 'GET', '/keys/key_a1', { headers })
        expect([read.status, read.told.id, read.headers.get('etag')]).toEqual([200, 'key_a1', tag])
      }
    }
  })

  test('a PUT of a missing resource with If-Match: * creates nothing', async () => {
    const headers = { 'if-match': '*' }
    for (const [token, path, body] of [
      [operator, '/keys/missing', { accountId: 'acme', name: 'x' }],
      [acme, '/keys/missing', { accountId: 'acme', name: 'x' }],
      [operator, '/accounts/missing', { name: 'x' }],
      [operator, '/upstreams/missing', { vendor: 'openai' }],
    ] as const) {
      const put = await ask(token, 'PUT', path, { headers, body })
      expect([put.status, put.headers.get('etag')]).toEqual([412, null])
      expect((await ask(token, 'GET', path)).status).toBe(404)
    }
  })

  test('a key is found by an id with any permitted character', async () => {
    const body = { accountId: 'acme', name: 'Odd' }
    const id = 'team/a:b@c+d'
    const path = `/keys/${encodeURIComponent(id)}`
    expect((await ask(operator, 'PUT', path, { body })).status).toBe(201)
    await fixture.engine.db
      .updateTable('usage_row')
      .set({ key_id: id })
      .where('key_id', '=', 'key_a1')
      .execute()
    for (const token of [operator, acme]) {
      const { status, told } = await ask(token, 'GET', `/usage?key=${encodeURIComponent(id)}`)
      expect([status, told.rows.length > 0]).toEqual([200, true])
      const recordings = `/accounts/acme/recordings?key=${encodeURIComponent(id)}`
      expect((await ask(token, 'GET', recordings)).status).toBe(200)
    }
  })

  test('the cursor of another account shows nothing of that account', async () => {
    const { told: page } = await ask(operator, 'GET', '/keys?account=acme&limit=1')
    const { status, told } = await ask(globex, 'GET', `/keys?after=${page.next}`)
    expect(status).toBe(200)
    for (const key of told.keys) expect(key.accountId).toBe('globex')
  })

  describe('an idempotency key', () => {
    const credit = (path: string, body: unknown, key = 'one-key') =>
      ask(operator, 'POST', path, { headers: { 'idempotency-key': key }, body })
    const body = { amountNano: '5', reason: 'gift', externalId: 'odd-1' }
    const moneyOf = async (id: string) =>
      (await ask(operator, 'GET', `/accounts/${id}`)).told.availableNano

    test('belongs to one account and one operation, and repeats regardless of spelling', async () => {
      expect((await credit('/accounts/acme/credits', body)).status).toBe(200)
      const before = [await moneyOf('acme'), await moneyOf('globex')]
      const spelled = '{"externalId":"odd-1", "reason":"gi\\u0066t", "amountNano":"5"}'
      const again = await credit('/accounts/acme/credits', spelled)
      expect([again.status, again.headers.get('idempotency-replayed')]).toEqual([200, 'true'])
      for (const [path, other] of [
        ['/accounts/globex/credits', body],
        ['/accounts/acme/credits', { ...body, amountNano: '6' }],
        ['/accounts/acme/reverse', { credit: 'odd-1' }],
      ] as const) {
        const told = await credit(path, other)
        expect([path, told.status, told.told.code]).toEqual([path, 422, 'idempotency_key_reused'])
      }
      expect([await moneyOf('acme'), await moneyOf('globex')]).toEqual(before)
    })

    test('of a refused request can be used again', async () => {
      expect((await credit('/accounts/nobody/credits', body, 'again')).status).toBe(404)
      const other = { ...body, externalId: 'odd-2' }
      expect((await credit('/accounts/acme/credits', other, 'again')).status).toBe(200)
    })

    test.each(['', 'a b', 'one, two', 'é', 'x'.repeat(256)])('"%s" is refused', async (key) => {
      const before = await moneyOf('acme')
      const { status, told } = await credit(
        '/accounts/acme/credits',
        { ...body, externalId: 'odd-3' },
        key,
      )
      expect([status, told.errors[0].code]).toEqual([400, 'idempotency_key_wrong'])
      expect(await moneyOf('acme')).toBe(before)
    })
  })

  test('a name that a spreadsheet would run as a formula is text in every CSV file', async () => {
    const names = ['=cmd|x', '+1', '-1', '@a', '=HYPERLINK("http://x","y")', '\uff1dcmd']
    for (const [at, name] of names.entries()) {
      const key = { accountId: 'acme', name }
      expect((await ask(acme, 'PUT', `/keys/csv-${at}`, { body: key })).status).toBe(201)
      await fixture.engine.db
        .updateTable('usage_row')
        .set({ key_id: `csv-${at}` })
        .where('request_id', '=', (eb) =>
          eb
            .selectFrom('usage_row')
            .select(eb.fn.max('request_id').as('id'))
            .where('account_id', '=', 'acme')
            .where('key_id', 'not like', 'csv-%'),
        )
        .execute()
    }
    for (const [token, path] of [
      [operator, '/usage/export?format=csv'],
      [acme, '/usage/export?format=csv'],
      [operator, '/audit/export?format=csv'],
    ] as const) {
      const text = await (await fixture.admin(token, 'GET', path)).text()
      // The start of a line, or after a comma, inside quotation marks or not.
      expect(text.match(/(?:^|[,\n])"?[=+\-@\uff1d].*/g)).toBeNull()
      if (path.startsWith('/usage')) expect(text).toContain(`,'=cmd|x,`)
    }
  })
}
