import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { sql } from 'kysely'
import { createToken, revokeToken } from '../../../src/admin-tokens/token-store.ts'
import { type AdminRoute, adminRoutes } from '../../../src/console-api/admin/admin-routes.ts'
import { operationsOf } from '../../../src/console-api/admin/route-areas.ts'
import {
  type AdminScope,
  adminScopes,
  sufficientScopes,
} from '../../../src/core/access/admin-scope.ts'
import { systemRandom } from '../../../src/core/id.ts'
import { write } from '../../../src/store/changes/write.ts'
import {
  addressHeader,
  type ConsoleFixture,
  openConsoleFixture,
} from '../../support/console/console-fixture.ts'
import { secretValues } from '../../support/console/console-seed.ts'
import { patience } from '../../support/patience.ts'
import { addFailedMessage } from '../../support/store/failed-message.ts'
import { seedRecording } from '../../support/store/recording-seed.ts'
import { digestOf } from './database-digest.ts'

/*
 * Generated from the routes of the admin API: every route with every kind of caller, on resources of the account acme.
 * The expected result follows only from the declaration of the route.
 */

const reaches = ['gateway', 'acme', 'globex'] as const
type Reach = (typeof reaches)[number]
type Outcome = 'passes' | 'scope_missing' | 'not_found' | 'not_allowed'

function expected({ route }: AdminRoute, scope: AdminScope, reach: Reach): Outcome {
  for (const operation of operationsOf(route)) {
    if (operation.reach === 'gateway' && reach !== 'gateway') return 'scope_missing'
    if (!sufficientScopes(operation).includes(scope)) return 'scope_missing'
  }
  if (route.who === 'member' && reach === 'globex') return 'not_found'
  // Tokens of the command line belong to operators, who may not decide what an account records.
  if (route.owns === 'path-own-account') return 'not_allowed'
  return 'passes'
}

/** The id of a resource of acme, or of no account, by the preceding segment of the path. */
const idAfter: Readonly<Record<string, (on: ConsoleFixture) => string>> = {
  '/keys/': () => 'key_a1',
  '/usage/': (on) => on.seeded.acmeRequestIds[0] ?? '',
  '/accounts/': () => 'acme',
  '/users/': () => 'u_new',
  '/upstreams/': () => 'one',
  '/credentials/': () => 'cred_1',
  '/credits/': () => 'c1',
  '/models/': () => 'gpt-x',
  '/groups/': () => 'default',
  '/vendors/': () => 'openai',
  '/recordings/': () => recordingId,
  '/tokens/': () => tokenId,
  '/alerts/': () => alertId,
  '/messages/': () => messageId,
}
const nothing = 'no_such_thing'

interface Target {
  readonly path: string
  readonly body: unknown
}

/**
 * A call about a resource of acme; with `name` about that resource. Without `isNarrowed`, only the id in the path, and
 * no parameter, names it.
 */
function targetOf(
  { route, path }: AdminRoute,
  on: ConsoleFixture,
  { name, isNarrowed = true }: { readonly name?: string; readonly isNarrowed?: boolean } = {},
): Target {
  const [before = '', after] = path.split('{id}')
  const known = after === undefined ? '' : idAfter[before]?.(on)
  if (known === undefined) throw new Error(`no id is known for ${path}`)
  const isInBody = route.owns === 'body-account'
  const id = isInBody ? 'key_a1' : (name ?? known)
  const query = new URLSearchParams()
  const isInQuery = route.owns === 'accounts' || route.owns === 'one-account'
  if (isInQuery && isNarrowed) query.set('account', name ?? 'acme')
  if (path.endsWith('/members') && route.method !== 'POST') query.set('user', 'u_ann')
  const placed = after === undefined ? path : before + encodeURIComponent(id) + after
  const body = isInBody ? { accountId: name ?? 'acme' } : {}
  return {
    path: query.size === 0 ? placed : `${placed}?${query.toString()}`,
    body: route.method === 'GET' || route.method === 'DELETE' ? undefined : body,
  }
}

let fixture: ConsoleFixture
let recordingId = ''
let tokenId = ''
let alertId = ''
let messageId = ''
const tokens = new Map<string, string>()
/** The name of the token with the scopes of all single areas. */
const allAreas = 'all areas'
/** Callers without access, with their headers and the expected response. */
const strangers: [string, Record<string, string>, number, string][] = []

beforeAll(async () => {
  fixture = await openConsoleFixture()
  recordingId = await seedRecording(fixture, { isOpenToOperators: true })
  for (const scope of adminScopes) {
    for (const reach of reaches) {
      const value = await fixture.makeToken([scope], reach === 'gateway' ? undefined : reach)
      tokens.set(`${scope} ${reach}`, value)
    }
  }
  const areas = adminScopes.filter((scope) => scope !== 'read' && scope !== 'all')
  tokens.set(allAreas, await fixture.makeToken(areas))
  const acme = await fixture.engine.db
    .selectFrom('admin_token')
    .select('id')
    .where('account_id', '=', 'acme')
    .limit(1)
    .executeTakeFirstOrThrow()
  tokenId = acme.id
  alertId = await addAlert()
  messageId = await addFailedMessage(fixture, { alertId, accountId: 'acme' })
  await addStrangers()
})
afterAll(() => fixture.close())

/** No response shows them. */
const hookSecrets = {
  url: 'https://hooks.example.com/a-path-that-is-a-secret',
  secret: 'a-secret-that-signs-webhooks',
}

async function addAlert(): Promise<string> {
  const body = {
    accountId: 'acme',
    name: 'Low',
    channel: 'webhook',
    url: hookSecrets.url,
    secret: hookSecrets.secret,
    kinds: ['credit_low'],
  }
  const token = tokens.get('all gateway')
  const made = (await (await fixture.admin(token, 'POST', '/alerts', { body })).json()) as {
    id: string
  }
  return made.id
}

async function addStrangers(): Promise<void> {
  const { engine, vault } = fixture
  const settings = { name: 't', scopes: ['all'] as const, accountId: null, expiresAt: null }
  const make = async (
    extra: { expiresAt?: number; addresses?: readonly string[] } = {},
    userId?: string,
  ) => {
    const tools = { vault, random: systemRandom, nowMs: fixture.nowMs() }
    const creator =
      userId === undefined ? { kind: 'command-line', actor: 'cli' } : { kind: 'user', userId }
    return write(engine, tools.nowMs, (writing) =>
      createToken(writing, tools, { addresses: null, ...settings, ...extra }, creator as never),
    )
  }
  const bearer = (value: string) => ({ authorization: `Bearer ${value}` })
  const { value: good } = await make()
  const revoked = await make()
  await write(engine, fixture.nowMs(), (writing) =>
    revokeToken(writing, revoked.token.id, fixture.nowMs()),
  )
  const ending = await make({ expiresAt: fixture.nowMs() + 1 })
  fixture.passTime(1)
  await addAdmin('u_gone')
  await addAdmin('u_demoted')
  const ofSuspended = await make({}, 'u_gone')
  const ofDemoted = await make({}, 'u_demoted')
  const users = engine.db.updateTable('console_user')
  await users.set({ suspended: 1 }).where('id', '=', 'u_gone').execute()
  await users.set({ role: 'member' }).where('id', '=', 'u_demoted').execute()
  const elsewhere = await make({ addresses: ['10.0.0.0/8'] })
  const cookie = await fixture.signIn('u_root')
  const last = good.endsWith('0') ? '1' : '0'
  strangers.push(
    ['no token', {}, 401, 'invalid_token'],
    ['an unknown token', bearer(good.slice(0, -1) + last), 401, 'invalid_token'],
    ['a malformed token', bearer('tgat_%00'), 401, 'invalid_token'],
    ['another scheme', { authorization: `Basic ${good}` }, 401, 'invalid_token'],
    ['two tokens', bearer(`${good}, Bearer ${good}`), 401, 'invalid_token'],
    ['an API key', bearer(secretValues.key), 401, 'invalid_token'],
    ['a revoked token', bearer(revoked.value), 401, 'invalid_token'],
    ['an expired token', bearer(ending.value), 401, 'invalid_token'],
    ['a token of a suspended user', bearer(ofSuspended.value), 401, 'invalid_token'],
    ['a token of a demoted user', bearer(ofDemoted.value), 401, 'invalid_token'],
    [
      'a token from another address',
      { ...bearer(elsewhere.value), [addressHeader]: '11.0.0.1' },
      403,
      'address_not_allowed',
    ],
    ['a session of the console', { cookie }, 401, 'invalid_token'],
  )
}

async function addAdmin(id: string): Promise<void> {
  await fixture.engine.db
    .insertInto('console_user')
    .values({
      id,
      email: `${id}@example.com`,
      password_hash: null,
      role: 'admin',
      created_at: 1,
      proof: 'operator',
    })
    .execute()
}

interface Told {
  readonly status: number
  readonly code: string | undefined
  readonly text: string
  readonly headers: Headers
}

async function call(
  on: ConsoleFixture,
  { route }: AdminRoute,
  { path, body }: Target,
  headers: Record<string, string>,
): Promise<Told> {
  const response = await on.admin(undefined, route.method, path, { headers, body })
  const text = await response.text()
  const isProblem = response.headers.get('content-type') === 'application/problem+json'
  const code = isProblem ? String(JSON.parse(text).code) : undefined
  return { status: response.status, code, text, headers: response.headers }
}

function bearerOf(scope: AdminScope, reach: Reach): Record<string, string> {
  return { authorization: `Bearer ${tokens.get(`${scope} ${reach}`)}` }
}

/** This precondition never holds, so that permitted calls change nothing. */
const never = { 'if-match': '"never"' }

describe('every route of the admin API', () => {
  for (const each of adminRoutes) {
    const name = `${each.route.method} ${each.path}`
    const target = () => targetOf(each, fixture)

    test(`${name} refuses callers without a valid token`, async () => {
      for (const [who, headers, status, code] of strangers) {
        const told = await call(fixture, each, target(), headers)
        expect([who, told.status, told.code]).toEqual([who, status, code])
        expect([who, told.headers.get('etag'), told.headers.get('cache-control')]).toEqual([
          who,
          null,
          'no-store',
        ])
        expectNoSecret(told.text)
      }
      expect(await digestOf(fixture)).toBe(digestAtFirst)
    })

    test(`${name} accepts exactly the declared scopes and accounts`, async () => {
      const rows = adminScopes.flatMap((scope) => reaches.map((reach) => [scope, reach] as const))
      for (const [scope, reach] of rows) {
        const outcome = expected(each, scope, reach)
        if (outcome === 'passes') continue
        const told = await call(fixture, each, target(), bearerOf(scope, reach))
        expect([scope, reach, told.code]).toEqual([scope, reach, outcome])
        expect([scope, reach, told.headers.get('etag')]).toEqual([scope, reach, null])
        expectNoSecret(told.text)
      }
      expect(await digestOf(fixture)).toBe(digestAtFirst)
    })

    test(
      `${name} admits only the declared callers and reveals no secret`,
      async () => {
        const rows = adminScopes.flatMap((scope) => reaches.map((reach) => [scope, reach] as const))
        const admitted = rows.filter(([scope, reach]) => expected(each, scope, reach) === 'passes')
        for (const [scope, reach] of admitted) {
          const condition = each.route.method === 'GET' ? {} : never
          const told = await call(fixture, each, target(), {
            ...bearerOf(scope, reach),
            ...condition,
          })
          const isKeptOut = told.status === 401 || told.status === 403 || told.status >= 500
          expect([scope, reach, isKeptOut, told.text]).toEqual([scope, reach, false, told.text])
          expect([scope, reach, told.code]).not.toEqual([scope, reach, 'not_found'])
          expectNoSecret(told.text)
        }
        expect(fixture.errors).toEqual([])
      },
      patience(30_000),
    )

    if (each.route.who !== 'member') continue
    test.each([
      ['plainly', {}],
      ['with If-Match', never],
      ['with If-None-Match', { 'if-none-match': '*' }],
    ])(`${name}: resources of other accounts look missing, asked for %s`, async (_, more) => {
      const headers = { ...bearerOf('all', 'globex'), ...more }
      const foreign = await call(fixture, each, targetOf(each, fixture), headers)
      const missing = await call(fixture, each, targetOf(each, fixture, { name: nothing }), headers)
      expect(shown(foreign)).toEqual(shown(missing))
      expect(foreign.status).toBe(404)
      if (each.route.owns !== 'accounts' || !each.path.includes('{id}')) return
      const byId = (name: object) => targetOf(each, fixture, { ...name, isNarrowed: false })
      const foreignId = await call(fixture, each, byId({}), headers)
      const missingId = await call(fixture, each, byId({ name: nothing }), headers)
      expect(shown(foreignId)).toEqual(shown(missingId))
      // A PUT creates what is missing, so it first refuses the empty body.
      expect(foreignId.status).toBe(each.route.method === 'PUT' ? 400 : 404)
    })
  }
})

describe('the export of the whole state', () => {
  // Listed by hand and not derived from the routes: the export contains every account, login, address and price.
  const admitted = ['read gateway', 'all gateway']
  const rows = adminScopes.flatMap((scope) => reaches.map((reach) => [scope, reach] as const))
  test.each(rows)('with the scope %s for %s', async (scope, reach) => {
    for (const format of ['json', 'yaml']) {
      const told = await on(`/provision?format=${format}`, tokens.get(`${scope} ${reach}`))
      const isAdmitted = admitted.includes(`${scope} ${reach}`)
      expect([told.status, told.text.includes('globex')]).toEqual([
        isAdmitted ? 200 : 403,
        isAdmitted,
      ])
      expectNoSecret(told.text)
    }
  })

  test('needs more than the scopes of all single areas together', async () => {
    const told = await on('/provision', tokens.get(allAreas))
    expect([told.status, told.text.includes('globex')]).toEqual([403, false])
  })

  async function on(path: string, token: string | undefined) {
    const response = await fixture.admin(token, 'GET', path)
    return { status: response.status, text: await response.text() }
  }
})

/** The response without the request id. */
function shown({ status, text, headers }: Told): unknown {
  const body = JSON.parse(text)
  const { requestId, instance, ...rest } = body
  expect(instance).toBe(`urn:uuid:${requestId}`)
  const names = [...headers]
    .filter(([header]) => !/request-id$|^date$/.test(header))
    .map(([header, value]) => `${header}: ${value}`)
  return { status, rest, headers: names.toSorted() }
}

let secrets: readonly string[] | undefined
/** A digest of the database before the first call: no call of this file may change the database. */
let digestAtFirst: string

function expectNoSecret(text: string): void {
  for (const secret of secrets ?? []) {
    if (text.includes(secret)) throw new Error(`a secret is revealed: ${secret.slice(0, 8)}…`)
  }
}

beforeAll(async () => {
  const { db } = fixture.engine
  const columns: readonly [string, string][] = [
    ['api_key', 'value_hash'],
    ['api_key', 'value_sealed'],
    ['console_user', 'password_hash'],
    ['console_user', 'totp_sealed'],
    ['session', 'token_hash'],
    ['passkey', 'credential_id'],
    ['passkey', 'public_key'],
    ['admin_token', 'value_hash'],
    ['upstream_credential', 'value_sealed'],
    ['upstream', 'credential_sealed'],
    ['upstream', 'proxy_sealed'],
    ['alert', 'url_sealed'],
    ['alert', 'secret_sealed'],
  ]
  const found: string[] = [secretValues.upstream, ...tokens.values(), ...Object.values(hookSecrets)]
  for (const [table, column] of columns) {
    const { rows } = await sql<{
      value: string | null
    }>`SELECT ${sql.ref(column)} AS value FROM ${sql.table(table)}`.execute(db)
    found.push(...rows.flatMap(({ value }) => (value === null || value === '' ? [] : [value])))
  }
  secrets = found
  digestAtFirst = await digestOf(fixture)
})
