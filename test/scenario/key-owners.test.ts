import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test'
import type {
  KeyPut,
  KeyRow,
  KeyWithValue,
  RevealedKey,
  UsageAnswer,
} from '../../src/console-api/contract.ts'
import { patience } from '../support/patience.ts'
import { type FreshDatabase, freshDatabase } from '../support/postgres/fresh-database.ts'
import { postgresServerUrl } from '../support/postgres/postgres-server-url.ts'
import { readJson } from './console-stage.ts'
import { type OwnerStage, openOwnerStage, serviceKey } from './key-owner-stage.ts'

const api = '/console/api'

/** Who calls. Lee has left the account and still has a login; Ivy has not proven her address. */
const callers = {
  'the owner of the key': 'u_ann',
  'an owner of the account': 'u_owen',
  'another member': 'u_amy',
  'a viewer': 'u_vera',
  'an invited login': 'u_ivy',
  'a former member': 'u_left',
  'another account': 'u_bob',
  'an operator': 'u_root',
  'a token of the account': 'acme',
  'a token of the gateway': 'gateway',
} as const
type Caller = keyof typeof callers
const callerNames = Object.keys(callers) as Caller[]

/** What each operation answers, by the callers above: a status, or a status with the code of a refusal. */
const gone = '404 not_found'
const no = '403 not_allowed'
const active = '409 conflict'
const [owned, whole, none] = ['200', '200', gone]
const outsiders = [none, none, none, none, none] as const
type Row = readonly [
  name: string,
  key: 'key_ann' | 'key_left' | typeof serviceKey,
  method: string,
  path: string,
  answers: readonly string[],
]

/** Only the owner of a personal key gets its value; everybody whom a key is no business of finds no key. */
const table: readonly Row[] = [
  ['read a personal key', 'key_ann', 'GET', '', [owned, whole, ...outsiders, whole, whole, whole]],
  [
    'limit a personal key',
    'key_ann',
    'PATCH',
    '',
    [owned, whole, ...outsiders, whole, whole, whole],
  ],
  [
    'delete a personal key',
    'key_ann',
    'DELETE',
    '',
    [owned, whole, ...outsiders, whole, whole, whole],
  ],
  ['show a personal key', 'key_ann', 'POST', '/reveal', [owned, no, ...outsiders, no, no, no]],
  ['rotate a personal key', 'key_ann', 'POST', '/rotate', [owned, no, ...outsiders, no, no, no]],
  [
    'convert a personal key',
    'key_ann',
    'POST',
    '/convert',
    [no, active, ...outsiders, active, active, active],
  ],
  ['play with a personal key', 'key_ann', 'PLAY', '', [owned, no, ...outsiders, no]],
  ['read a service key', serviceKey, 'GET', '', [none, whole, ...outsiders, whole, whole, whole]],
  [
    'limit a service key',
    serviceKey,
    'PATCH',
    '',
    [none, whole, ...outsiders, whole, whole, whole],
  ],
  [
    'delete a service key',
    serviceKey,
    'DELETE',
    '',
    [none, whole, ...outsiders, whole, whole, whole],
  ],
  [
    'show a service key',
    serviceKey,
    'POST',
    '/reveal',
    [none, whole, ...outsiders, whole, whole, whole],
  ],
  [
    'rotate a service key',
    serviceKey,
    'POST',
    '/rotate',
    [none, whole, ...outsiders, whole, whole, whole],
  ],
  [
    'convert a service key',
    serviceKey,
    'POST',
    '/convert',
    [none, active, ...outsiders, active, active, active],
  ],
  ['play with a service key', serviceKey, 'PLAY', '', [none, whole, ...outsiders, whole]],
  [
    'read the key of a former member',
    'key_left',
    'GET',
    '',
    [none, whole, ...outsiders, whole, whole, whole],
  ],
  [
    'show the key of a former member',
    'key_left',
    'POST',
    '/reveal',
    [none, no, ...outsiders, no, no, no],
  ],
  [
    'rotate the key of a former member',
    'key_left',
    'POST',
    '/rotate',
    [none, no, ...outsiders, no, no, no],
  ],
  ['play with the key of a former member', 'key_left', 'PLAY', '', [none, no, ...outsiders, no]],
  [
    'convert the key of a former member',
    'key_left',
    'POST',
    '/convert',
    [none, whole, ...outsiders, whole, whole, whole],
  ],
  [
    'delete the key of a former member',
    'key_left',
    'DELETE',
    '',
    [none, whole, ...outsiders, whole, whole, whole],
  ],
]

describe('keys of users on SQLite', () => ownerTests())
if (postgresServerUrl('keys of users on Postgres') !== undefined) {
  describe('keys of users on Postgres', () => ownerTests(freshDatabase))
}

function ownerTests(makeDatabase?: () => Promise<FreshDatabase>): void {
  let database: FreshDatabase | undefined
  let stage: OwnerStage
  const cookies = new Map<string, string>()
  const tokens = new Map<string, string>()

  beforeAll(async () => {
    database = await makeDatabase?.()
    stage = await openOwnerStage(database?.url)
    for (const userId of Object.values(callers)) {
      if (userId === 'acme' || userId === 'gateway') {
        tokens.set(userId, await stage.makeToken(['all'], userId === 'acme' ? 'acme' : undefined))
      } else {
        const open = userId === 'u_ivy' ? stage.openInvitation : stage.signIn
        cookies.set(userId, await open(userId))
      }
    }
  })
  beforeEach(() => stage.resetKeys())
  afterAll(async () => {
    await stage.close()
    await database?.drop()
  })

  async function send(caller: Caller, method: string, path: string, body: unknown = {}) {
    const who = callers[caller]
    const token = tokens.get(who)
    const sent = method === 'GET' || method === 'DELETE' ? {} : { body }
    const response =
      token === undefined
        ? await stage.send(method, `${api}${path}`, { cookie: cookies.get(who), ...sent })
        : await stage.admin(token, method, path, sent)
    const text = await response.text()
    const json = text.startsWith('{') ? JSON.parse(text) : {}
    const code: unknown = json.error?.code ?? json.code
    const isRefused = response.status >= 400
    return { answer: `${response.status}${isRefused ? ` ${String(code)}` : ''}`, text, json }
  }
  const read = <T>(userId: string, path: string) =>
    readJson<T>(stage.get(`${api}${path}`, { cookie: cookies.get(userId) }))

  describe.each(table)('%s', (_name, key, method, path, answers) => {
    test.each(answers.map((answer, at) => [callerNames[at] as Caller, answer] as const))(
      '%s: %s',
      async (caller, answer) => {
        const target = method === 'PLAY' ? `/playground/${key}/v1/models` : `/keys/${key}${path}`
        const verb = method === 'PLAY' ? 'GET' : method
        const before = await rowOf(key)
        const told = await send(caller, verb, target, method === 'PATCH' ? { quotaNano: '7' } : {})
        const isPlayed = method === 'PLAY' && answer === '200'
        // What the gateway makes of the request is not the console's business.
        if (isPlayed) expect([no, gone]).not.toContain(told.answer)
        else expect(told.answer).toBe(answer)
        const isShown = answer === '200' && path === '/reveal'
        if (!isShown) {
          expect(told.text).not.toContain(stage.values.get(key) ?? 'none')
        }
        if (answer !== '200') expect(await rowOf(key)).toEqual(before)
      },
    )
  })

  async function rowOf(id: string) {
    return stage.engine.db
      .selectFrom('api_key')
      .selectAll()
      .where('id', '=', id)
      .executeTakeFirstOrThrow()
  }

  test('a key that is not there and a key of another user get the same answer', async () => {
    const paths = ['', '/reveal', '/rotate', '/convert'] as const
    for (const path of paths) {
      const method = path === '' ? 'PATCH' : 'POST'
      const foreign = await send('another member', method, `/keys/key_ann${path}`)
      const missing = await send('another member', method, `/keys/no_such_key${path}`)
      const shown = ({ json }: typeof foreign) => ({ ...json.error, requestId: undefined })
      expect(shown(foreign)).toEqual(shown(missing))
    }
    for (const key of ['key_ann', 'no_such_key']) {
      expect((await read<UsageAnswer>('u_amy', `/usage?key=${key}`)).rows).toEqual([])
    }
  })

  describe('a new key', () => {
    const wish = { accountId: 'acme', name: 'new', groups: ['default'] }
    const cases: readonly [Caller, string | null | undefined, string, string | null, boolean][] = [
      // who, for whom, the answer, whose it becomes, whether the value is in the answer
      ['the owner of the key', undefined, '200', 'u_ann', true],
      ['the owner of the key', 'u_ann', '200', 'u_ann', true],
      ['the owner of the key', 'ANN@example.com', '200', 'u_ann', true],
      ['the owner of the key', null, no, null, false],
      ['the owner of the key', 'u_amy', no, null, false],
      ['the owner of the key', 'nobody@example.com', no, null, false],
      ['an invited login', undefined, '200', 'u_ivy', true],
      ['an invited login', null, no, null, false],
      ['a viewer', undefined, no, null, false],
      ['an owner of the account', undefined, '200', 'u_owen', true],
      ['an owner of the account', null, '200', null, true],
      ['an owner of the account', 'amy@example.com', '200', 'u_amy', false],
      ['an owner of the account', 'lee@example.com', '409 unfit', null, false],
      ['an owner of the account', 'u_vera', '409 unfit', null, false],
      ['an operator', undefined, '200', null, true],
      ['an operator', 'u_amy', '200', 'u_amy', false],
      ['a token of the account', undefined, '200', null, true],
      ['a token of the account', 'amy@example.com', '200', 'u_amy', false],
      ['a token of the gateway', 'bob@example.com', '409 unfit', null, false],
      ['a former member', undefined, gone, null, false],
      ['another account', undefined, gone, null, false],
    ]
    test.each(cases)('of %s for %p: %s', async (caller, ownerId, answer, owner, hasValue) => {
      const body = ownerId === undefined ? wish : { ...wish, ownerId }
      const told = await send(caller, 'POST', '/keys', body)
      expect([told.answer, told.text]).toEqual([answer, told.text])
      if (answer !== '200') return
      const { key, value } = told.json as KeyPut
      expect([key.ownerId, value !== null]).toEqual([owner, hasValue])
    })

    test('of another user gets no value from the owner of an account', async () => {
      const value = 'a-value-that-the-token-knows-0123456789'
      const body = { ...wish, ownerId: 'u_amy', value }
      expect((await send('a token of the account', 'POST', '/keys', body)).answer).toBe(no)
    })

    test('keeps its owner when it is put again', async () => {
      const put = { accountId: 'acme', name: 'put' }
      const told = await send('a token of the account', 'PUT', '/keys/key_amy', put)
      expect(told.answer).toBe('409 conflict')
      const same = { ...put, ownerId: 'amy@example.com' }
      const again = await send('a token of the account', 'PUT', '/keys/key_amy', same)
      expect([again.answer, (again.json as KeyPut).key.ownerId]).toEqual(['200', 'u_amy'])
      expect((await send('the owner of the key', 'PUT', '/keys/mine', put)).answer).toBe(no)
    })
  })

  test('the key of a former member becomes a service key with a new value', async () => {
    await stage.engine.db
      .insertInto('stored_response')
      .values({
        id: 'resp_1',
        key_id: 'key_left',
        model: 'm',
        created_at: 1,
        expires_at: 9e12,
      })
      .execute()
    const told = await send('an owner of the account', 'POST', '/keys/key_left/convert')
    const { key, value } = told.json as KeyWithValue
    expect(key).toMatchObject({ ownerId: null, ownerEmail: null, state: 'active' })
    expect(value).not.toBe(stage.values.get('key_left'))
    const shown = await send('an operator', 'POST', '/keys/key_left/reveal')
    expect((shown.json as RevealedKey).value).toBe(value)
    const responses = await stage.engine.db
      .selectFrom('stored_response')
      .select('id')
      .where('key_id', '=', 'key_left')
      .execute()
    expect(responses).toEqual([])
    const audit = await stage.engine.db
      .selectFrom('audit')
      .select(['action', 'before', 'after'])
      .where('subject', '=', 'key_left')
      .where('action', '=', 'key.converted')
      .execute()
    expect(JSON.stringify(audit)).not.toContain(value)
  })

  test(
    'a link that somebody else can open shows no value',
    async () => {
      const ann = cookies.get('u_ann')
      const reveal = (cookie: string | undefined) =>
        stage.send('POST', `${api}/keys/key_ann/reveal`, { cookie })
      expect((await reveal(ann)).status).toBe(200)
      const made = await send('an operator', 'POST', '/operate/users/u_ann/sign-in-link')
      expect(made.answer).toBe('200')
      const refused = await reveal(ann)
      expect([refused.status, await refused.text()]).toEqual([
        409,
        expect.stringContaining('value_hidden'),
      ])
      // The key works on, and its owner can give it another value.
      expect((await read<KeyRow>('u_ann', '/keys/key_ann')).state).toBe('active')
      expect((await send('the owner of the key', 'POST', '/keys/key_ann/rotate')).answer).toBe(
        '200',
      )
      expect((await reveal(ann)).status).toBe(200)
      // An owner of the account invites the address of an invited login again, and gets a new link.
      const wish = { email: 'ivy@example.com', role: 'member' }
      const again = await send('an owner of the account', 'POST', '/accounts/acme/members', wish)
      const [, token] = /#(.+)$/.exec(again.json.invitationUrl) ?? []
      const opened = await stage.post(`${api}/invitation`, { body: { token: token ?? '' } })
      const cookie = (opened.headers.get('set-cookie') ?? '').split(';')[0]
      const shown = await stage.send('POST', `${api}/keys/key_ivy/reveal`, { cookie })
      expect([
        shown.status,
        (await shown.text()).includes(stage.values.get('key_ivy') ?? ''),
      ]).toEqual([409, false])
    },
    patience(20_000),
  )
}
