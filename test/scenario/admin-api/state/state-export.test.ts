import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { systemRandom } from '../../../../src/core/id.ts'
import { writtenName } from '../../../../src/fields/definition.ts'
import { deleteKey } from '../../../../src/keys/delete-key.ts'
import { revealKey } from '../../../../src/keys/key-store.ts'
import { applyProvision } from '../../../../src/provision/apply-provision.ts'
import { write } from '../../../../src/store/changes/write.ts'
import { hashPassword, isPasswordOf } from '../../../../src/store/secrets/password.ts'
import { makeEmptyFile } from '../../../support/gateway/test-database.ts'
import { freshDatabase } from '../../../support/postgres/fresh-database.ts'
import { postgresServerUrl } from '../../../support/postgres/postgres-server-url.ts'
import { configOf } from '../../../support/store/provision-fixture.ts'
import { definitions, type Entry, richDocument, secrets } from './rich-document.ts'
import {
  allRows,
  applied,
  exported,
  type MakePlace,
  openPlace,
  type Place,
  sums,
} from './state-place.ts'

describe('the state as a document on SQLite', () => stateTests(makeEmptyFile))
if (postgresServerUrl('the state as a document on Postgres') !== undefined) {
  describe('the state as a document on Postgres', () => stateTests(freshDatabase))
}

interface Document {
  readonly groups: readonly Entry[]
  readonly models: readonly Entry[]
  readonly upstreams: readonly (Entry & { readonly models: readonly Entry[] })[]
  readonly accounts: readonly Entry[]
  readonly users: readonly Entry[]
  readonly keys: readonly Entry[]
}

async function applyFile({ fixture }: Place, text: string): Promise<void> {
  const { engine, vault, nowMs } = fixture
  const tools = { vault, random: systemRandom, nowMs, hashPassword, isPasswordOf }
  await applyProvision(engine, tools, configOf(text).provision, 'confirmed')
}

function withSecrets(document: Document): unknown {
  return {
    ...document,
    upstreams: document.upstreams.map((upstream) => ({
      ...upstream,
      credentials: (upstream['credentials'] as Entry[]).map((each) => ({
        ...each,
        value: secrets[each['name'] as 'first' | 'second'],
      })),
    })),
    users: document.users.map((user) => ({ ...user, password: secrets.password })),
  }
}

function stateTests(make: MakePlace): void {
  let place: Place
  const rich = richDocument()
  beforeAll(async () => {
    place = await openPlace(make)
    await applyFile(place, JSON.stringify({ provision: rich }))
  })
  afterAll(() => place.close())

  test('applying it changes nothing, and it is the same again', async () => {
    const text = await exported(place)
    const before = await allRows(place.fixture.engine)
    const { status, body } = await applied(place, text)
    expect([status, body['warnings'], body['isDryRun']]).toEqual([200, [], false])
    expect(sums(body['counts'])).toEqual({ created: 0, changed: 0, same: 14 })
    expect(await allRows(place.fixture.engine)).toEqual(before)
    expect(await exported(place)).toBe(text)
  })

  test('as a file it has the same content, and applying it changes nothing', async () => {
    const before = await allRows(place.fixture.engine)
    const yaml = await exported(place, 'yaml')
    await applyFile(place, yaml)
    expect(await allRows(place.fixture.engine)).toEqual(before)
    expect(await exported(place, 'yaml')).toBe(yaml)
  })

  test.each(Object.entries(definitions))('every field of %s is in it', async (name, { fields }) => {
    const document = JSON.parse(await exported(place)) as Document
    const upstream = document.upstreams.find(({ id }) => id === 'rich')
    const lists: Readonly<Record<string, readonly Entry[]>> = {
      ...document,
      routes: upstream?.models ?? [],
      credentials: upstream?.['credentials'] as readonly Entry[],
    }
    const [first] = rich.upstreams
    const nested: Readonly<Record<string, readonly Entry[]>> = {
      credentials: first?.credentials?.slice(-1) ?? [],
      routes: first?.models.filter((each) => typeof each !== 'string') ?? [],
    }
    const own = nested[name] ?? rich[name] ?? []
    const said = own.find((entry) => Object.keys(fields).length - 2 <= Object.keys(entry).length)
    const shown = (lists[name] ?? []).find((entry) =>
      ['id', 'email', 'name', 'as'].every(
        (id) => said?.[id] === undefined || entry[id] === said[id],
      ),
    )
    for (const [field, definition] of Object.entries(fields)) {
      const written = writtenName(field, definition)
      if (written === null) continue
      const isSecret = definition.isSecret === true
      expect([written, said?.[written] === undefined]).toEqual([written, false])
      expect([written, Object.hasOwn(shown ?? {}, written)]).toEqual([written, !isSecret])
      if (isSecret) continue
      const read = (value: unknown) => definition.kind.written.parse(value) as unknown
      expect([written, read(shown?.[written])]).toMatchObject([written, read(said?.[written])])
    }
  })

  test('no secret is in it', async () => {
    const both = (await exported(place)) + (await exported(place, 'yaml'))
    for (const secret of Object.values(secrets)) expect(both).not.toContain(secret)
    expect(both).not.toContain('$argon')
  })

  test('with the secrets added, it makes an empty gateway equal', async () => {
    const text = await exported(place)
    const other = await openPlace(make)
    try {
      const first = await applied(other, withSecrets(JSON.parse(text) as Document))
      expect([first.status, sums(first.body['counts'])]).toEqual([
        200,
        { created: 14, changed: 0, same: 0 },
      ])
      expect(await exported(other)).toBe(text)
      const again = await applied(other, text)
      expect(sums(again.body['counts'])).toEqual({ created: 0, changed: 0, same: 14 })
    } finally {
      await other.close()
    }
  })

  test('without the secrets it works, too, and reports what is missing', async () => {
    const other = await openPlace(make)
    try {
      const { status, body } = await applied(other, await exported(place))
      expect(status).toBe(200)
      expect(body['warnings']).toEqual(
        expect.arrayContaining([
          expect.stringContaining('the credential "second" of the upstream "rich" has no value'),
        ]),
      )
    } finally {
      await other.close()
    }
  })

  test('a dry run reports the changes without making them', async () => {
    const before = await allRows(place.fixture.engine)
    const body = {
      groups: [{ id: 'plain', factor: 9 }, { id: 'new' }],
      accounts: [{ id: 'new', credit: 5 }],
      users: [{ email: 'new@example.com', password: 'another long password', role: 'admin' }],
    }
    const { status, body: answer } = await applied(place, body, '?dryRun=true')
    expect([status, answer['isDryRun']]).toEqual([200, true])
    expect(sums(answer['counts'])).toEqual({ created: 3, changed: 1, same: 0 })
    expect(answer['changes']).toEqual([
      { kind: 'account', id: 'new', result: 'created' },
      { kind: 'group', id: 'plain', result: 'changed' },
      { kind: 'group', id: 'new', result: 'created' },
      { kind: 'user', id: 'new@example.com', result: 'created' },
    ])
    expect(await allRows(place.fixture.engine)).toEqual(before)
  })

  const refusals: readonly [string, unknown, string, string | undefined][] = [
    ['a value that is not a list', { keys: 5 }, 'keys must be a list, not 5.', '#/keys'],
    [
      'a list inside an entry',
      {
        keys: [
          { id: 'a', account: 'other' },
          { id: 'b', account: 'other', groups: 5 },
        ],
      },
      'keys[1].groups must be a list, not 5.',
      '#/keys/1/groups',
    ],
    ['an unknown name', { things: [] }, 'the document has no member "things"', undefined],
    [
      'a reference to a missing resource',
      { groups: [{ id: 'never' }], keys: [{ id: 'a', account: 'nobody' }] },
      'keys[0]: the key "a" names the account "nobody"',
      undefined,
    ],
    [
      'a variable of the gateway as a credential',
      { upstreams: [{ id: 'u', vendor: 'openai', models: [], credential: 'env:PATH' }] },
      'upstreams[0].credential refers to an environment variable, which is not allowed',
      '#/upstreams/0/credential',
    ],
    [
      'a variable of the gateway as the value of a key',
      { keys: [{ id: 'a', account: 'other', value: 'env:HOME' }] },
      'keys[0].value refers to an environment variable',
      '#/keys/0/value',
    ],
    [
      'a file of the gateway',
      { upstreams: [{ id: 'u', vendor: 'openai', models: [], ca: '/etc/hostname' }] },
      'upstreams[0].ca must be the PEM text itself',
      '#/upstreams/0/ca',
    ],
    [
      'more entries than one document may have',
      { groups: Array.from({ length: 10_001 }, (_, at) => ({ id: `g${at}` })) },
      'the document has more than 10000 entries',
      undefined,
    ],
    [
      'more routes than one document may create',
      {
        upstreams: [
          {
            id: 'u',
            vendor: 'openai',
            groups: Array.from({ length: 201 }, (_, at) => `g${at}`),
            models: Array.from({ length: 100 }, (_, at) => `m${at}`),
          },
        ],
      },
      'upstreams defines more than 20000 routes',
      '#/upstreams',
    ],
    [
      'more passwords than are hashed for one document',
      {
        users: Array.from({ length: 51 }, (_, at) => ({
          email: `u${at}@example.com`,
          password: 'a long enough password',
        })),
      },
      'users has more than 50 passwords',
      '#/users',
    ],
    [
      'a price that begins before a planned one',
      { models: [{ id: 'rich', price: { input: 1, output: 1 }, plannedPrices: [] }] },
      'models[0]: the model "rich" has a planned price from 2098-01-01T00:00:00.000Z',
      undefined,
    ],
  ]
  test.each(refusals)('%s is refused, and nothing is changed', async (_, body, why, pointer) => {
    const before = await allRows(place.fixture.engine)
    const { status, body: problem } = await applied(place, body)
    expect([status, problem['code']]).toEqual([422, 'unprocessable'])
    expect(problem['detail']).toStartWith(why)
    expect(JSON.stringify(problem)).not.toContain(process.env['PATH'] ?? 'PATH')
    const [error] = problem['errors'] as { pointer?: string; code: string }[]
    if (pointer !== undefined) expect(error?.pointer).toBe(pointer)
    expect(error?.code).toBe('document_wrong')
    expect(await allRows(place.fixture.engine)).toEqual(before)
  })

  test('the audit log names the token', async () => {
    const other = await openPlace(make)
    await applied(other, { groups: [{ id: 'named', factor: 2 }] })
    const rows = await other.fixture.engine.db
      .selectFrom('audit')
      .select(['actor', 'action'])
      .where('subject', '=', 'named')
      .execute()
    await other.close()
    expect(rows).toEqual([{ actor: expect.stringMatching(/^token:/), action: 'group.created' }])
  })

  test('only a token with all rights for the whole gateway may apply', async () => {
    const body = { groups: [{ id: 'forbidden' }] }
    for (const token of [
      await place.fixture.makeToken(['read', 'keys', 'catalogue', 'accounts', 'money', 'usage']),
      await place.fixture.makeToken(['all'], 'acme'),
    ]) {
      const response = await place.fixture.admin(token, 'POST', '/provision', { body })
      expect(response.status).toBe(403)
    }
    const keys = await place.fixture.makeToken(['keys'])
    expect((await place.fixture.admin(keys, 'GET', '/provision')).status).toBe(403)
    expect(await exported(place)).not.toContain('forbidden')
  })

  test('a body is read beyond the usual limit, and not beyond its own', async () => {
    const lists = ['groups', 'models', 'upstreams', 'accounts', 'users', 'keys']
    const tokens = lists.flatMap((name, at) => [at === 0 ? '{' : ',', `"${name}"`, ':', '[', ']'])
    const padded = (bytes: number) =>
      [...tokens, '}'].join(' '.repeat(Math.ceil(bytes / tokens.length)))
    expect((await applied(place, padded(1024 * 1024))).status).toBe(200)
    expect((await applied(place, padded(4 * 1024 * 1024))).status).toBe(413)
  })

  const ids = Array.from({ length: 5_000 }, (_, index) => `turn-${index}`)
  const groups = ['no-such-group']
  const upstream = { id: 'turn', vendor: 'openai-compatible', baseUrl: 'http://127.0.0.1:1/v1' }
  test.each<[string, object]>([
    ['keys', { keys: ids.map((id) => ({ id, account: 'other', groups })) }],
    ['models of an upstream', { upstreams: [{ ...upstream, models: ids, groups }] }],
  ])('thousands of %s are read in turns: others have theirs meanwhile', async (_, document) => {
    let rounds = 0
    let isOver = false
    const count = () => {
      rounds += 1
      if (!isOver) setImmediate(count)
    }
    const answer = applied(place, document)
    setImmediate(count)
    expect((await answer).status).toBe(422)
    isOver = true
    expect(rounds).toBeGreaterThan(ids.length / 200)
  })

  test('a body with very many list items is refused before it is processed', async () => {
    const items = `{"keys":[${'1,'.repeat(600_000)}1]}`
    const answer = await applied(place, items)
    expect(answer.status).toBe(413)
    expect(JSON.stringify(answer.body)).toContain('500000 names and list items')
  })

  test('unusual addresses, and people who are suspended or have left, do not prevent applying an export', async () => {
    const source = await openPlace(make)
    const target = await openPlace(make)
    const email = "o'brien#1@example.com"
    const gone = 'gone@example.com'
    const emails = [email, gone]
    const alert = { id: 'mail', account: 'other', channel: 'email', emails, kinds: ['credit_low'] }
    const [user, other] = emails.map((each) => ({ email: each, accounts: [{ id: 'other' }] }))
    const made = await applied(source, {
      groups: [{ id: 'plain' }],
      accounts: [{ id: 'other' }],
      users: [user, other],
      keys: [{ id: 'his', account: 'other', owner: email, groups: ['plain'] }],
      alerts: [alert],
    })
    expect([made.status, made.body['warnings']]).toEqual([200, []])
    const left = [
      { email, suspended: true, accounts: [{ id: 'other' }] },
      { email: gone, accounts: [] },
    ]
    expect((await applied(source, { users: left })).status).toBe(200)
    const text = await exported(source)
    for (const each of [source, target]) {
      const again = await applied(each, text)
      const warnings = again.body['warnings'] as readonly string[]
      expect([again.status, again.body['detail'], warnings.length]).toEqual([200, undefined, 2])
      expect(await exported(each)).toBe(text)
    }
    await source.close()
    await target.close()
  })

  test('a deleted key is restored with a new value', async () => {
    const other = await openPlace(make)
    const { engine, vault, nowMs } = other.fixture
    const document = {
      groups: [{ id: 'plain' }],
      accounts: [{ id: 'other' }],
      keys: [{ id: 'back', account: 'other', groups: ['plain'] }],
    }
    await applied(other, document)
    const first = await revealKey(engine, vault, 'back')
    await write(engine, nowMs(), (writing) => deleteKey(writing, 'back', nowMs()))
    expect(await exported(other)).not.toContain('"back"')
    await applied(other, document)
    const second = await revealKey(engine, vault, 'back')
    await other.close()
    expect([typeof first, typeof second, first === second]).toEqual(['string', 'string', false])
  })
}
