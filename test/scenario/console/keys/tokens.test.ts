import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'bun:test'
import { findToken } from '../../../../src/admin-tokens/find-token.ts'
import { isTokenValue } from '../../../../src/admin-tokens/token-value.ts'
import type {
  CreateTokenRequest,
  ErrorAnswer,
  RevokedTokens,
  TokenRow,
  TokensAnswer,
  TokenWithValue,
} from '../../../../src/console-api/contract.ts'
import {
  type ConsoleFixture,
  openConsoleFixture,
  readJson,
} from '../../../support/console/console-fixture.ts'
import { annPassword } from '../../../support/console/console-seed.ts'
import { type FreshDatabase, freshDatabase } from '../../../support/postgres/fresh-database.ts'
import { postgresServerUrl } from '../../../support/postgres/postgres-server-url.ts'

const api = '/console/api'
const minuteMs = 60_000

describe('tokens on SQLite', () => tokenTests())
if (postgresServerUrl('console tokens on Postgres') !== undefined) {
  describe('tokens on Postgres', () => tokenTests(freshDatabase))
}

/** Owen owns acme, where Ann is a member and Vera a viewer; Bob owns globex. Root is an operator. */
const people = {
  root: 'u_root',
  owen: 'u_owen',
  ann: 'u_ann',
  vera: 'u_vera',
  bob: 'u_bob',
} as const
type Person = keyof typeof people

const requested: CreateTokenRequest = {
  name: ' Deploys ',
  scopes: ['keys', 'usage'],
  accountId: 'acme',
  expiresAt: null,
  addresses: ['10.0.0.0/8', '::1'],
}
const ofGateway: CreateTokenRequest = { ...requested, name: 'Backups', accountId: null }

const hidden = [404, 'not_found']

function tokenTests(makeDatabase?: () => Promise<FreshDatabase>): void {
  let database: FreshDatabase | undefined
  let fixture: ConsoleFixture
  let cookies: Record<Person, string>

  beforeAll(async () => {
    database = await makeDatabase?.()
    fixture = await openConsoleFixture(database ? { databaseUrl: database.url } : {})
  })
  beforeEach(async () => {
    const signedIn = Object.entries(people).map(
      async ([person, id]) => [person, await fixture.signIn(id)] as const,
    )
    cookies = Object.fromEntries(await Promise.all(signedIn)) as Record<Person, string>
  })
  afterEach(async () => {
    expect(fixture.errors).toEqual([])
    await fixture.engine.db.deleteFrom('admin_token').execute()
    await fixture.engine.db.deleteFrom('audit').execute()
  })
  afterAll(async () => {
    await fixture.close()
    await database?.drop()
  })

  async function send<Body>(person: Person, method: string, path: string, body: unknown = {}) {
    const response = await fixture.send(method, `${api}${path}`, { cookie: cookies[person], body })
    const text = await response.text()
    if (!response.ok) throw new Error(`${method} ${path} by ${person}: ${text}`)
    return { text, body: JSON.parse(text) as Body }
  }

  /** Status, code, field and problem; [200] without a problem. */
  async function outcome(person: Person, method: string, path: string, body: unknown = {}) {
    const response = await fixture.send(method, `${api}${path}`, { cookie: cookies[person], body })
    if (response.ok) return [response.status]
    const { error } = await readJson<ErrorAnswer>(response)
    const said = [error.code, error.field, error.detail]
    return [response.status, ...said.filter((each) => each !== undefined)]
  }

  const make = async (person: Person, wanted: CreateTokenRequest = requested) =>
    (await send<TokenWithValue>(person, 'POST', '/tokens', wanted)).body
  const list = async (person: Person, query = '') =>
    (await send<TokensAnswer>(person, 'GET', `/tokens${query}`)).body.tokens
  const names = async (person: Person, query = '') =>
    (await list(person, query)).map(({ name }) => name)
  const audit = () =>
    fixture.engine.db
      .selectFrom('audit')
      .selectAll()
      .where('action', 'like', 'token.%')
      .orderBy('seq')
      .execute()
  const verdict = (value: string, address = '10.1.2.3') =>
    findToken(fixture.engine, fixture.vault, { value, address, nowMs: fixture.nowMs() })
  const isGood = async (value: string) => (await verdict(value)).isGood

  test('a token is created, listed, used and revoked, each with a row in the audit log', async () => {
    const { token, value } = await make('owen')
    expect(isTokenValue(value)).toBe(true)
    expect(token).toEqual({
      id: token.id,
      name: 'Deploys',
      state: 'active',
      hint: `tgat_…${value.slice(-4)}`,
      scopes: ['keys', 'usage'],
      accountId: 'acme',
      addresses: ['10.0.0.0/8', '::1'],
      expiresAt: null,
      madeBy: 'u_owen',
      makerKind: 'user',
      makerName: 'owen@example.com',
      createdAt: fixture.nowMs(),
      usedAt: null,
      usedAddress: null,
      revokedAt: null,
    })
    expect(await isGood(value)).toBe(true)
    expect(await verdict(value, '11.0.0.1')).toEqual({ isGood: false, status: 403 })
    await fixture.engine.db
      .updateTable('admin_token')
      .set({ used_at: fixture.nowMs(), used_address: '10.1.2.3' })
      .execute()
    expect(await list('owen')).toEqual([
      { ...token, usedAt: fixture.nowMs(), usedAddress: '10.1.2.3' },
    ])

    const path = `/tokens/${token.id}`
    expect((await send<RevokedTokens>('owen', 'DELETE', path)).body).toEqual({
      revoked: [token.id],
    })
    expect(await isGood(value)).toBe(false)
    expect(await list('owen')).toMatchObject([{ state: 'revoked', revokedAt: fixture.nowMs() }])
    // A repeated call has no effect, and no second row in the audit log.
    expect((await send<RevokedTokens>('owen', 'DELETE', path)).body).toEqual({ revoked: [] })
    expect((await audit()).map((row) => [row.actor, row.action, row.subject])).toEqual([
      ['u_owen', 'token.created', token.id],
      ['u_owen', 'token.revoked', token.id],
    ])
  })

  test('the value is in one response, and in no list, log or table', async () => {
    const { value } = await make('root', ofGateway)
    const secret = value.slice('tgat_'.length)
    const answers = [
      await send('root', 'GET', '/tokens'),
      await send('root', 'GET', '/operate/audit'),
      await send('root', 'DELETE', `/tokens/${(await list('root'))[0]?.id}`),
    ]
    for (const { text } of answers) expect(text).not.toContain(secret)
    const exported = await fixture.get(`${api}/operate/audit/export`, { cookie: cookies.root })
    expect(await exported.text()).not.toContain(secret)
    const rows = await fixture.engine.db.selectFrom('admin_token').selectAll().execute()
    expect(JSON.stringify([rows, await audit()])).not.toContain(secret)
    for (const { value_hash } of rows) {
      for (const { text } of answers) expect(text).not.toContain(value_hash)
    }
  })

  /** The tokens that each of them may create. Resources of others look like missing ones. */
  const notOwned = [409, 'unfit', 'accountId', 'account_not_owned']
  const makes: [person: Person, accountId: string | null, outcome: (string | number)[]][] = [
    ['root', null, [200]],
    ['root', 'acme', [200]],
    ['root', 'nowhere', [409, 'unfit', 'accountId', 'account_unknown']],
    ['owen', 'acme', [200]],
    ['owen', null, notOwned],
    ['owen', 'globex', notOwned],
    ['owen', 'nowhere', notOwned],
    ['ann', 'acme', notOwned],
    ['ann', null, notOwned],
    ['vera', 'acme', notOwned],
    ['bob', 'acme', notOwned],
  ]
  test.each(makes)('%s creates one for %p: %p', async (person, accountId, expected) => {
    expect(await outcome(person, 'POST', '/tokens', { ...requested, accountId })).toEqual(expected)
    const isMade = expected[0] === 200
    expect(await names('root')).toHaveLength(isMade ? 1 : 0)
    expect(await audit()).toHaveLength(isMade ? 1 : 0)
  })

  test('without an account the token is for the whole gateway, which no owner may create', async () => {
    const { accountId: _, ...bare } = requested
    expect(await outcome('owen', 'POST', '/tokens', bare)).toEqual(notOwned)
    expect((await make('root', bare)).token.accountId).toBeNull()
  })

  test('a call for one account creates and revokes nothing in another', async () => {
    const { token } = await make('root', ofGateway)
    const narrowed = '?account=acme'
    expect(await outcome('root', 'POST', `/tokens${narrowed}`, ofGateway)).toEqual(notOwned)
    expect(await outcome('root', 'DELETE', `/tokens/${token.id}${narrowed}`)).toEqual(hidden)
    expect(await outcome('root', 'POST', `/tokens${narrowed}`, requested)).toEqual([200])
    expect(await names('root', narrowed)).toEqual(['Deploys'])
    expect(await outcome('ann', 'POST', `/tokens${narrowed}`, requested)).toEqual([
      403,
      'not_allowed',
    ])
    expect(await outcome('bob', 'POST', `/tokens${narrowed}`, requested)).toEqual(hidden)
  })

  describe('of an account and of the gateway', () => {
    let acme: TokenRow
    let globex: TokenRow
    let gateway: TokenRow

    beforeEach(async () => {
      acme = (await make('owen')).token
      globex = (await make('bob', { ...requested, name: 'Globex', accountId: 'globex' })).token
      gateway = (await make('root', ofGateway)).token
    })

    test('each sees their own', async () => {
      expect((await names('root')).toSorted()).toEqual(['Backups', 'Deploys', 'Globex'])
      expect(await names('root', '?account=globex')).toEqual(['Globex'])
      expect(await names('owen')).toEqual(['Deploys'])
      expect(await names('bob')).toEqual(['Globex'])
      for (const person of ['ann', 'vera'] as const) {
        expect(await names(person)).toEqual([])
        expect(await outcome(person, 'GET', '/tokens?account=acme')).toEqual([403, 'not_allowed'])
      }
      expect(await outcome('owen', 'GET', '/tokens?account=globex')).toEqual(hidden)
      expect(await outcome('owen', 'GET', '/tokens?account=nowhere')).toEqual(hidden)
      // The token of another caller as the cursor reveals nothing either.
      const wrong = [400, 'invalid_request', 'after', 'cursor_wrong']
      expect(await outcome('owen', 'GET', `/tokens?after=${globex.id}`)).toEqual(wrong)
    })

    test('a user cannot revoke a token that they cannot see', async () => {
      const before = await audit()
      const pairs: [Person, TokenRow][] = [
        ['owen', globex],
        ['owen', gateway],
        ['bob', acme],
        ['bob', gateway],
        ['ann', acme],
        ['vera', acme],
      ]
      for (const [person, { id }] of pairs) {
        expect([person, id, await outcome(person, 'DELETE', `/tokens/${id}`)]).toEqual([
          person,
          id,
          hidden,
        ])
      }
      expect(await outcome('root', 'DELETE', '/tokens/tok_nowhere')).toEqual(hidden)
      expect(await audit()).toEqual(before)
      expect((await list('root')).map(({ state }) => state)).toEqual(['active', 'active', 'active'])
      // An operator can revoke any token.
      for (const { id } of [acme, globex, gateway]) {
        expect(await outcome('root', 'DELETE', `/tokens/${id}`)).toEqual([200])
      }
    })

    test('an owner of one account and member of another sees only the tokens of the first', async () => {
      const { db } = fixture.engine
      const membership = { user_id: 'u_owen', account_id: 'globex' }
      await db
        .insertInto('membership')
        .values({ ...membership, role: 'member' })
        .execute()
      try {
        expect(await names('owen')).toEqual(['Deploys'])
        expect(await outcome('owen', 'DELETE', `/tokens/${globex.id}`)).toEqual(hidden)
        const beyond = { ...requested, accountId: 'globex' }
        expect(await outcome('owen', 'POST', '/tokens', beyond)).toEqual(notOwned)
      } finally {
        await db
          .deleteFrom('membership')
          .where('account_id', '=', 'globex')
          .where('user_id', '=', 'u_owen')
          .execute()
      }
    })

    test('for a creator outside the account, an owner sees only that it was an operator', async () => {
      const { token } = await make('root', { ...requested, name: 'By root' })
      expect(token).toMatchObject({ makerKind: 'user', makerName: 'root@example.com' })
      const seen = (await list('owen')).find(({ id }) => id === token.id)
      expect(seen).toMatchObject({ makerKind: 'operator', makerName: null })
      expect((await send('owen', 'GET', '/tokens')).text).not.toContain('root@example.com')
    })
  })

  test('a token of a removed owner stops working, and its row shows it', async () => {
    const { db } = fixture.engine
    const { value } = await make('owen')
    const owner = { user_id: 'u_owen', account_id: 'acme', role: 'owner' }
    await db.deleteFrom('membership').where('user_id', '=', 'u_owen').execute()
    try {
      expect(await isGood(value)).toBe(false)
      expect(await list('root')).toMatchObject([{ state: 'orphaned' }])
      expect(await names('owen')).toEqual([])
    } finally {
      await db.insertInto('membership').values(owner).execute()
    }
    expect(await isGood(value)).toBe(true)
    expect(await list('owen')).toMatchObject([{ state: 'active' }])
  })

  test('creating one requires the password when the sign-in is older than five minutes', async () => {
    fixture.passTime(5 * minuteMs + 1)
    try {
      expect(await outcome('owen', 'POST', '/tokens', requested)).toEqual([403, 'reauthenticate'])
      expect(await outcome('root', 'POST', '/tokens', ofGateway)).toEqual([403, 'reauthenticate'])
      expect(await names('root')).toEqual([])
      await send('owen', 'POST', '/reauthenticate', { password: annPassword })
      const { token } = await make('owen')
      // Revoking needs no password, because it must be quick.
      expect(await outcome('root', 'DELETE', `/tokens/${token.id}`)).toEqual([200])
    } finally {
      fixture.passTime(-5 * minuteMs - 1)
    }
  })

  const wrong: [name: string, change: Record<string, unknown>, field: string][] = [
    ['without a name', { name: ' ' }, 'name'],
    ['with a name of two lines', { name: 'a\nb' }, 'name'],
    ['without a scope', { scopes: [] }, 'scopes'],
    ['with an unknown scope', { scopes: ['keys', 'root'] }, 'scopes'],
    ['with an invalid address', { addresses: ['10.0.0.300'] }, 'addresses'],
    ['with an expiry in the past', { expiresAt: 1_000 }, 'expiresAt'],
    ['with its own value', { value: 'tgat_mine' }, 'body'],
    ['created by somebody else', { makerId: 'u_root' }, 'body'],
  ]
  test.each(wrong)('a token is refused: %s', async (_, change, field) => {
    const made = await outcome('owen', 'POST', '/tokens', { ...requested, ...change })
    const refusal = field === 'expiresAt' ? [409, 'unfit'] : [400, 'invalid_request']
    expect(made.slice(0, 3)).toEqual([...refusal, field])
    expect(await names('root')).toEqual([])
  })

  test('a list is paged, and shows expired tokens as such', async () => {
    const { token } = await make('root', { ...ofGateway, expiresAt: fixture.nowMs() + minuteMs })
    const row = await fixture.engine.db
      .selectFrom('admin_token')
      .selectAll()
      .executeTakeFirstOrThrow()
    const older = Array.from({ length: 60 }, (_, age) => ({
      ...row,
      id: `tok_older_${age}`,
      value_hash: `hash ${age}`,
      created_at: row.created_at - age - 1,
      made_by: 'cli',
      maker_id: null,
    }))
    await fixture.engine.db.insertInto('admin_token').values(older).execute()
    const first = (await send<TokensAnswer>('root', 'GET', '/tokens')).body
    expect(first.tokens).toHaveLength(50)
    expect(first.tokens[0]?.id).toBe(token.id)
    expect(first.tokens[1]).toMatchObject({ makerKind: 'command-line', makerName: null })
    const rest = (await send<TokensAnswer>('root', 'GET', `/tokens?after=${first.next}`)).body
    expect([rest.tokens.length, rest.next]).toEqual([11, null])
    fixture.passTime(minuteMs)
    try {
      expect((await list('root'))[0]?.state).toBe('expired')
    } finally {
      fixture.passTime(-minuteMs)
    }
  })
}
