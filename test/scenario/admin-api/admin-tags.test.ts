import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { credentialDefinition } from '../../../src/catalog/definition/upstream.ts'
import { type ConsoleFixture, openConsoleFixture } from '../../support/console/console-fixture.ts'
import { patience } from '../../support/patience.ts'
import { type FreshDatabase, freshDatabase } from '../../support/postgres/fresh-database.ts'
import { postgresServerUrl } from '../../support/postgres/postgres-server-url.ts'

describe('tags on SQLite', () => tagTests())
if (postgresServerUrl('tags of the admin API on Postgres') !== undefined) {
  describe('tags on Postgres', () => tagTests(freshDatabase))
}

const atOnce = 20
const price = {
  inputNano: '1',
  cacheReadNano: '1',
  cacheWrite5mNano: '1',
  cacheWrite1hNano: '1',
  outputNano: '1',
}
const route = { group: 'default', model: 'gpt-x', upstream: 'one', upstreamModel: 'x' }

/** A change, the resource with its tag, and bodies that all differ from each other and from the current state. */
const changes: readonly [string, string, string, (n: number) => unknown][] = [
  ['PATCH', '/keys/key_a1', '/keys/key_a1', (n) => ({ name: `key ${n}` })],
  ['PUT', '/keys/key_a2', '/keys/key_a2', (n) => ({ accountId: 'acme', name: `key ${n}` })],
  ['POST', '/keys/key_a3/rotate', '/keys/key_a3', () => ({})],
  ['PATCH', '/accounts/acme', '/accounts/acme', (n) => ({ name: `account ${n}` })],
  ['PUT', '/accounts/acme', '/accounts/acme', (n) => ({ name: `account, put ${n}` })],
  ['PATCH', '/accounts/acme/profile', '/accounts/acme', (n) => ({ name: `profile ${n}` })],
  [
    'POST',
    '/accounts/globex/members',
    '/accounts/globex',
    (n) => ({ email: `new${n}@example.com`, role: 'member' }),
  ],
  ['PATCH', '/users/u_ann', '/users/u_ann', () => ({ isSuspended: true })],
  ['PATCH', '/groups/default', '/groups/default', (n) => ({ factor: `2.${n + 1}` })],
  ['PUT', '/groups/default', '/groups/default', (n) => ({ factor: `3.${n + 1}` })],
  ['PATCH', '/models/gpt-x', '/models/gpt-x', (n) => ({ displayName: `model ${n}` })],
  ['PUT', '/models/gpt-x', '/models/gpt-x', (n) => ({ displayName: `model, put ${n}` })],
  [
    'POST',
    '/models/gpt-x/prices',
    '/models/gpt-x',
    (n) => ({ price: { ...price, outputNano: String(n + 2) } }),
  ],
  ['PATCH', '/upstreams/one', '/upstreams/one', (n) => ({ concurrencyMax: n + 1 })],
  [
    'POST',
    '/upstreams/one/credentials',
    '/upstreams/one',
    (n) => ({ name: `c${n}`, value: `value-of-credential-${n}` }),
  ],
  ['PATCH', '/credentials/cred_1', '/credentials/cred_1', (n) => ({ name: `credential ${n}` })],
  [
    'PUT',
    '/routes?upstream=one',
    '/routes?upstream=one',
    (n) => ({ routes: [{ ...route, upstreamModel: `x${n}` }] }),
  ],
]

/** Resources that can be deleted. */
const deleted: readonly [string, string, unknown][] = [
  ['/keys/doomed', '/keys/doomed', { accountId: 'acme', name: 'Doomed' }],
  ['/groups/doomed', '/groups/doomed', {}],
  ['/models/doomed', '/models/doomed', { displayName: 'Doomed' }],
  ['/upstreams/doomed', '/upstreams/doomed', { vendor: 'openai' }],
]

function tagTests(makeDatabase?: () => Promise<FreshDatabase>): void {
  let database: FreshDatabase | undefined
  let fixture: ConsoleFixture
  let all: string
  let globex: string
  beforeAll(async () => {
    database = await makeDatabase?.()
    fixture = await openConsoleFixture(database ? { databaseUrl: database.url } : {})
    all = await fixture.makeToken(['all'])
    globex = await fixture.makeToken(['all'], 'globex')
  }, patience(30_000))
  afterAll(async () => {
    await fixture.close()
    await database?.drop()
  })

  async function ask(method: string, path: string, body?: unknown, headers = {}, token = all) {
    const response = await fixture.admin(token, method, path, { headers, body })
    const told = JSON.parse(await response.text())
    return { status: response.status, etag: response.headers.get('etag'), told }
  }
  const tagOf = async (path: string) => (await ask('GET', path)).etag ?? ''

  test.each(changes)(
    `of ${atOnce} concurrent changes with the same tag one succeeds: %s %s`,
    async (method, path, read, bodyOf) => {
      const tag = await tagOf(read)
      expect(tag).not.toBe('')
      const asked = Array.from({ length: atOnce }, (_, n) =>
        ask(method, path, bodyOf(n), { 'if-match': tag }),
      )
      const statuses = (await Promise.all(asked)).map(({ status }) => status)
      expect(statuses.filter((status) => status === 200 || status === 201)).toHaveLength(1)
      expect(statuses.filter((status) => status === 412)).toHaveLength(atOnce - 1)
      expect(await tagOf(read)).not.toBe(tag)
    },
    patience(30_000),
  )

  test.each(deleted)('a deletion checks the tag, too: %s', async (path, read, made) => {
    await ask('PUT', path, made)
    const tag = await tagOf(read)
    const stale = await ask('DELETE', path, undefined, { 'if-match': '"stale"' })
    expect([stale.status, stale.etag]).toEqual([412, tag])
    const asked = Array.from({ length: 5 }, () =>
      ask('DELETE', path, undefined, { 'if-match': tag }),
    )
    const answers = await Promise.all(asked)
    const statuses = answers.map(({ status }) => status).toSorted((left, right) => left - right)
    // A deleted resource is not found, whatever the precondition.
    expect(statuses).toEqual([200, 404, 404, 404, 404])
  })

  test('a member and a role are settings of the account', async () => {
    const before = await tagOf('/accounts/acme')
    const path = '/accounts/acme/members?user=u_vera'
    const changed = await ask('PATCH', path, { role: 'member' }, { 'if-match': before })
    expect(changed.status).toBe(200)
    const after = await tagOf('/accounts/acme')
    expect(after).not.toBe(before)
    const stale = await ask('DELETE', path, undefined, { 'if-match': before })
    expect([stale.status, stale.etag]).toEqual([412, after])
    expect((await ask('DELETE', path, undefined, { 'if-match': after })).status).toBe(200)
  })

  describe('each setting of a credential changes its tag and that of its upstream', () => {
    const settings: readonly [string, unknown][] = [
      ['name', 'renamed'],
      ['isEnabled', false],
      ['requestsPerMinute', 71],
      ['tokensPerMinute', 72],
      ['concurrentRequests', 73],
      ['value', 'another-value-of-the-credential'],
    ]
    let id = ''
    beforeAll(async () => {
      const made = { name: 'tagged', value: 'value-of-the-tagged-credential' }
      id = (await ask('POST', '/upstreams/one/credentials', made)).told.id
    })

    test.each(settings)('%s', async (name, value) => {
      const tags = async () => [await tagOf(`/credentials/${id}`), await tagOf('/upstreams/one')]
      const path = `/credentials/${id}`
      const before = await tags()
      const changed = await ask('PATCH', path, { [name]: value }, { 'if-match': before[0] })
      expect([name, changed.status]).toEqual([name, 200])
      // A new value has a new id.
      id = changed.told.id
      const after = await tags()
      expect(after.map((tag, at) => tag === '' || tag === before[at])).toEqual([false, false])
      const stale = await ask('PATCH', `/credentials/${id}`, {}, { 'if-match': before[0] })
      expect(stale.status).toBe(412)
      const again = { [name]: value }
      if (name === 'value') return
      expect((await ask('PATCH', `/credentials/${id}`, again)).status).toBe(200)
      expect(await tags()).toEqual(after)
    })

    test('the list has every setting', () => {
      expect(settings.map(([name]) => name).toSorted()).toEqual(
        Object.keys(credentialDefinition.fields).toSorted(),
      )
    })
  })

  test('what changes without an operation of the API changes the tag, too', async () => {
    const { db } = fixture.engine
    const rows: readonly [string, string, () => Promise<unknown>][] = [
      [
        '/users/u_vera',
        'a first password',
        () =>
          db
            .updateTable('console_user')
            .set({ password_hash: 'h' })
            .where('id', '=', 'u_vera')
            .execute(),
      ],
      [
        '/models/gpt-x',
        'prices of features that a start fills in',
        () =>
          db
            .updateTable('price_version')
            .set({ features: '{"web_search":"10000000"}' })
            .where('model_id', '=', 'gpt-x')
            .execute(),
      ],
    ]
    await db
      .updateTable('console_user')
      .set({ password_hash: null })
      .where('id', '=', 'u_vera')
      .execute()
    for (const [path, what, change] of rows) {
      const before = await tagOf(path)
      await change()
      expect([what, before === '', (await tagOf(path)) === before]).toEqual([what, false, false])
    }
  })

  test('changing figures, such as money, do not change the tag', async () => {
    const before = await tagOf('/accounts/acme')
    const credit = { amountNano: '5', reason: 'a gift', externalId: `gift-${Math.random()}` }
    expect((await ask('POST', '/accounts/acme/credits', credit)).status).toBe(200)
    expect(await tagOf('/accounts/acme')).toBe(before)
  })

  describe('a tag', () => {
    const path = '/groups/default'
    const rows: readonly [string, (tag: string) => string, number][] = [
      ['alone', (tag) => tag, 200],
      ['in a list', (tag) => `"x", ${tag}, "y"`, 200],
      ['*', () => '*', 200],
      ['weak', (tag) => `W/${tag}`, 412],
      ['weak beside the strong one', (tag) => `W/${tag}, ${tag}`, 200],
      ['in a list with empty elements', (tag) => `,"x",,${tag},`, 200],
      ['without quotes', (tag) => tag.slice(1, -1), 400],
      ['with trailing text', (tag) => `${tag};q=1`, 400],
      ['empty', () => '', 400],
    ]
    test.each(rows)('%s', async (_, write, status) => {
      const headers = { 'if-match': write(await tagOf(path)) }
      expect((await ask('PATCH', path, {}, headers)).status).toBe(status)
    })

    test('of a missing resource: only a PUT can fail on it', async () => {
      const none = { 'if-match': '*' }
      expect((await ask('PATCH', '/groups/none', {}, none)).status).toBe(404)
      expect((await ask('DELETE', '/groups/none', undefined, none)).status).toBe(404)
      expect((await ask('PUT', '/groups/none', {}, none)).status).toBe(412)
      expect((await ask('GET', '/groups/none')).status).toBe(404)
    })

    test('of a key of another account is never revealed', async () => {
      const body = { accountId: 'globex', name: 'Mine' }
      for (const headers of [{}, { 'if-match': '"x"' }, { 'if-none-match': '*' }]) {
        const { status, etag } = await ask('PUT', '/keys/key_a1', body, headers, globex)
        expect([409, 412]).toContain(status)
        expect(etag).toBeNull()
      }
      const { name } = (await ask('GET', '/keys/key_a1')).told
      expect(name).not.toBe('Mine')
    })
  })
}
