import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test'
import type {
  ErrorAnswer,
  KeyPut,
  KeyRow,
  KeysAnswer,
  KeyWithValue,
  RevealedKey,
  UsageAnswer,
} from '../../../../src/console-api/contract.ts'
import { readJson } from '../../../support/console/console-fixture.ts'
import { patience } from '../../../support/patience.ts'
import { type FreshDatabase, freshDatabase } from '../../../support/postgres/fresh-database.ts'
import { postgresServerUrl } from '../../../support/postgres/postgres-server-url.ts'
import { type OwnerFixture, openOwnerFixture, serviceKey } from './key-owner-fixture.ts'
import { accessTable, type Caller, callerNames, gone, no } from './key-owner-table.ts'
import { type SignedInCallers, signInCallers } from './sign-in-callers.ts'

const api = '/console/api'

describe('keys of users on SQLite', () => ownerTests())
if (postgresServerUrl('keys of users on Postgres') !== undefined) {
  describe('keys of users on Postgres', () => ownerTests(freshDatabase))
}

function ownerTests(makeDatabase?: () => Promise<FreshDatabase>): void {
  let database: FreshDatabase | undefined
  let fixture: OwnerFixture
  let callers: SignedInCallers

  beforeAll(async () => {
    database = await makeDatabase?.()
    fixture = await openOwnerFixture(database?.url)
    callers = await signInCallers(fixture)
  })
  beforeEach(() => fixture.resetKeys())
  afterAll(async () => {
    await fixture.close()
    await database?.drop()
  })

  const send: SignedInCallers['send'] = (...call) => callers.send(...call)
  const read = <T>(userId: string, path: string) =>
    readJson<T>(fixture.get(`${api}${path}`, { cookie: callers.cookies.get(userId) }))

  describe.each(accessTable)('%s', (_name, key, method, path, answers) => {
    test.each(answers.map((answer, at) => [callerNames[at] as Caller, answer] as const))(
      '%s: %s',
      async (caller, answer) => {
        const target = method === 'PLAY' ? `/playground/${key}/v1/models` : `/keys/${key}${path}`
        const verb = method === 'PLAY' ? 'GET' : method
        const before = await fixture.rowOf(key)
        const told = await send(caller, verb, target, method === 'PATCH' ? { quotaNano: '7' } : {})
        const isPlayed = method === 'PLAY' && answer === '200'
        // The result of the playground request itself does not matter here.
        if (isPlayed) expect([no, gone]).not.toContain(told.answer)
        else expect(told.answer).toBe(answer)
        const isShown = answer === '200' && path === '/reveal'
        if (!isShown) {
          expect(told.text).not.toContain(fixture.values.get(key) ?? 'none')
        }
        if (answer !== '200') expect(await fixture.rowOf(key)).toEqual(before)
      },
    )
  })

  test('a missing key and a key of another user get the same response', async () => {
    const paths = ['', '/reveal', '/rotate', '/convert'] as const
    for (const path of paths) {
      const method = path === '' ? 'PATCH' : 'POST'
      const foreign = await send('another member', method, `/keys/key_ann${path}`)
      const missing = await send('another member', method, `/keys/no_such_key${path}`)
      const shown = ({ json }: typeof foreign) => ({
        ...(json as ErrorAnswer).error,
        requestId: undefined,
      })
      expect(shown(foreign)).toEqual(shown(missing))
    }
    for (const key of ['key_ann', 'no_such_key']) {
      expect((await read<UsageAnswer>('u_amy', `/usage?key=${key}`)).rows).toEqual([])
    }
  })

  describe('a list of keys', () => {
    const services = ['key_a1', 'key_a2', 'key_a3', 'key_a4', 'key_a5']
    const seen: readonly [Caller, string, readonly string[]][] = [
      ['an owner of the account', 'kind=service', services],
      [
        'an owner of the account',
        'kind=personal',
        ['key_amy', 'key_ann', 'key_ivy', 'key_left', 'key_owen', 'key_vera'],
      ],
      ['an owner of the account', 'user=u_owen', ['key_owen']],
      ['an owner of the account', 'user=u_left', ['key_left']],
      ['an owner of the account', 'user=u_ann&kind=service', []],
      ['an owner of the account', 'user=u_nobody', []],
      ['an operator', 'user=u_ann', ['key_ann']],
      ['a token of the account', 'user=u_ann&search=key_ann', ['key_ann']],
      ['a token of the account', 'user=u_ann&search=key_amy', []],
      ['the owner of the key', 'kind=personal', ['key_ann']],
      ['the owner of the key', 'kind=service', []],
      ['the owner of the key', 'user=u_amy', []],
      ['another account', 'user=u_ann', []],
    ]
    test.each(seen)('%s, %s: %p', async (caller, filter, ids) => {
      const { json } = await send(caller, 'GET', `/keys?${filter}`)
      expect((json as KeysAnswer).keys.map(({ id }) => id).sort()).toEqual([...ids])
    })
  })

  describe('a new key', () => {
    const newKey = { accountId: 'acme', name: 'new', groups: ['default'] }
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
      const body = ownerId === undefined ? newKey : { ...newKey, ownerId }
      const told = await send(caller, 'POST', '/keys', body)
      expect([told.answer, told.text]).toEqual([answer, told.text])
      if (answer !== '200') return
      const { key, value } = told.json as KeyPut
      expect([key.ownerId, value !== null]).toEqual([owner, hasValue])
    })

    test('of another user gets no value from the owner of an account', async () => {
      const value = 'a-value-that-the-token-knows-0123456789'
      const body = { ...newKey, ownerId: 'u_amy', value }
      expect((await send('a token of the account', 'POST', '/keys', body)).answer).toBe(no)
    })

    test('keeps its owner when PUT is repeated', async () => {
      const put = { accountId: 'acme', name: 'put' }
      const told = await send('a token of the account', 'PUT', '/keys/key_amy', put)
      expect(told.answer).toBe('409 conflict')
      const same = { ...put, ownerId: 'amy@example.com' }
      const again = await send('a token of the account', 'PUT', '/keys/key_amy', same)
      expect([again.answer, (again.json as KeyPut).key.ownerId]).toEqual(['200', 'u_amy'])
      expect((await send('the owner of the key', 'PUT', '/keys/mine', put)).answer).toBe(no)
    })
  })

  describe('a setting of an account owner on the key of a member', () => {
    const patch = (caller: Caller, body: object, key = 'key_ann') =>
      send(caller, 'PATCH', `/keys/${key}`, body)
    const owners = ['an owner of the account', 'an operator', 'a token of the account'] as const

    test.each(owners)('is locked when %s sets it', async (caller) => {
      await patch('the owner of the key', { quotaNano: '5' })
      expect((await patch(caller, { isEnabled: false, quotaNano: '7' })).answer).toBe('200')
      const before = await fixture.rowOf('key_ann')
      const edits = [
        { isEnabled: true },
        { quotaNano: '8' },
        { quotaNano: null },
        { models: ['m'] },
        { expiresAt: null, isEnabled: true },
        { isLocked: false },
        { isLocked: false, isEnabled: true },
      ]
      for (const edit of edits) {
        expect((await patch('the owner of the key', edit)).answer).toBe(no)
      }
      expect(await fixture.rowOf('key_ann')).toEqual(before)
      expect((await patch('the owner of the key', { name: 'mine' })).answer).toBe('200')
      expect((await patch(caller, { isLocked: false })).answer).toBe('200')
      expect((await patch('the owner of the key', { isEnabled: true })).answer).toBe('200')
    })

    test('can be left to the member', async () => {
      const told = await patch('an owner of the account', { quotaNano: '7', isLocked: false })
      expect(told.json).toMatchObject({ isLocked: false })
      expect((await patch('the owner of the key', { quotaNano: null })).answer).toBe('200')
    })

    test('is not locked by a new name, on their own key, or on a service key', async () => {
      const cases = [
        ['key_ann', { name: 'called' }],
        ['key_owen', { quotaNano: '7' }],
        [serviceKey, { quotaNano: '7' }],
      ] as const
      for (const [key, edit] of cases) {
        expect((await patch('an owner of the account', edit, key)).json).toMatchObject({
          isLocked: false,
        })
      }
    })

    test('cannot be locked by a member', async () => {
      expect((await patch('the owner of the key', { isLocked: true })).answer).toBe(no)
      const body = { accountId: 'acme', name: 'new', groups: ['default'], isLocked: true }
      expect((await send('the owner of the key', 'POST', '/keys', body)).answer).toBe(no)
      expect((await send('an owner of the account', 'POST', '/keys', body)).answer).toBe('200')
    })
  })

  test('the key of a former member becomes a service key with a new value', async () => {
    await fixture.engine.db
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
    expect(value).not.toBe(fixture.values.get('key_left'))
    const shown = await send('an operator', 'POST', '/keys/key_left/reveal')
    expect((shown.json as RevealedKey).value).toBe(value)
    const responses = await fixture.engine.db
      .selectFrom('stored_response')
      .select('id')
      .where('key_id', '=', 'key_left')
      .execute()
    expect(responses).toEqual([])
    const audit = await fixture.engine.db
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
      const ann = callers.cookies.get('u_ann')
      const reveal = (cookie: string | undefined) =>
        fixture.send('POST', `${api}/keys/key_ann/reveal`, { cookie })
      expect((await reveal(ann)).status).toBe(200)
      const made = await send('an operator', 'POST', '/operate/users/u_ann/sign-in-link')
      expect(made.answer).toBe('200')
      const refused = await reveal(ann)
      expect([refused.status, await refused.text()]).toEqual([
        409,
        expect.stringContaining('value_hidden'),
      ])
      // The key still works, and its owner can rotate it.
      expect((await read<KeyRow>('u_ann', '/keys/key_ann')).state).toBe('active')
      expect((await send('the owner of the key', 'POST', '/keys/key_ann/rotate')).answer).toBe(
        '200',
      )
      expect((await reveal(ann)).status).toBe(200)
      // An owner of the account invites the address of an invited login again, and gets a new link.
      const invitation = { email: 'ivy@example.com', role: 'member' }
      const again = await send(
        'an owner of the account',
        'POST',
        '/accounts/acme/members',
        invitation,
      )
      const [, token] = /#(.+)$/.exec((again.json as { invitationUrl: string }).invitationUrl) ?? []
      const opened = await fixture.post(`${api}/invitation`, { body: { token: token ?? '' } })
      const cookie = (opened.headers.get('set-cookie') ?? '').split(';')[0]
      const shown = await fixture.send('POST', `${api}/keys/key_ivy/reveal`, { cookie })
      expect([
        shown.status,
        (await shown.text()).includes(fixture.values.get('key_ivy') ?? ''),
      ]).toEqual([409, false])
    },
    patience(20_000),
  )
}
