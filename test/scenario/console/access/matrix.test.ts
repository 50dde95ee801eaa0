import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { accountRoles } from '../../../../src/accounts/definition/member.ts'
import type { OpenIdProvider } from '../../../../src/console-api/ports/open-id-provider.ts'
import type { OperationRoute } from '../../../../src/console-api/routes/route.ts'
import { routes } from '../../../../src/console-api/routes/routes.ts'
import {
  type ConsoleFixture,
  openConsoleFixture,
} from '../../../support/console/console-fixture.ts'
import { secretValues } from '../../../support/console/console-seed.ts'
import { noRules } from '../../../support/console/open-id-provider.ts'
import { patience } from '../../../support/patience.ts'
import { addFailedMessage } from '../../../support/store/failed-message.ts'
import { seedRecording } from '../../../support/store/recording-seed.ts'

/*
 * Generated from the table of routes: every route with every kind of caller, on resources of their own account and of
 * another. The expected result follows only from the declaration of the route.
 */

/**
 * Two callers are invited and not verified: one to acme as an owner, which counts as a member until the address is
 * verified, and one to globex, whose membership as an owner of acme has no effect.
 */
const callers = [
  'anonymous',
  'viewer',
  'member',
  'owner',
  'other',
  'invited, not verified',
  'invited elsewhere, not verified',
  'admin',
] as const
type Caller = (typeof callers)[number]
const userOf = {
  viewer: 'u_vera',
  member: 'u_ann',
  owner: 'u_owen',
  other: 'u_bob',
  'invited, not verified': 'u_invited',
  'invited elsewhere, not verified': 'u_elsewhere',
  admin: 'u_root',
}

type Outcome = 'passes' | 'not_signed_in' | 'not_allowed' | 'not_found'

/** All callers except `other` belong to acme, the account of these resources. */
function expected(route: OperationRoute, caller: Caller): Outcome {
  if (route.who === 'anonymous') return 'passes'
  if (caller === 'anonymous') return 'not_signed_in'
  // Only the account decides what it records: recording-access.test.ts covers what it may allow.
  const isOfRecordings = ['path-recordings', 'path-recording'].includes(route.owns)
  const isInsiders = isOfRecordings || route.owns === 'path-own-account'
  if (caller === 'admin') return isInsiders ? 'not_allowed' : 'passes'
  if (route.who === 'admin') return 'not_allowed'
  if (route.owns === 'self') return 'passes'
  if (caller === 'other' || caller === 'invited elsewhere, not verified') return 'not_found'
  // The key is a service key: see key-owners.test.ts for keys of users.
  const isOfKey = ['path-key', 'path-key-value', 'path-request'].includes(route.owns)
  if (isOfKey && caller !== 'owner') return 'not_found'
  if (isOfRecordings) return caller === 'owner' ? 'passes' : 'not_allowed'
  const least = route.role ?? 'viewer'
  const role = caller === 'invited, not verified' ? 'member' : caller
  return accountRoles.indexOf(role) >= accountRoles.indexOf(least) ? 'passes' : 'not_allowed'
}

/** The id in a path, by the preceding segment; each belongs to acme or to no account. */
const idAfter: Readonly<Record<string, (fixture: ConsoleFixture) => string>> = {
  '/keys/': () => 'key_a1',
  '/usage/': (fixture) => fixture.seeded.acmeRequestIds[0] ?? '',
  '/accounts/': () => 'acme',
  '/playground/': () => 'key_a1',
  '/tokens/': () => 'tok_a1',
  '/recordings/': () => recordingId,
  '/alerts/': () => 'alert_a1',
  '/messages/': () => messageId,
  '/sessions/': () => 'no-such-session',
  '/passkeys/': () => 'no-such-passkey',
  '/operate/accounts/': () => 'acme',
  '/operate/users/': () => 'u_new',
  '/operate/upstreams/': () => 'one',
  '/operate/credentials/': () => 'cred_1',
  '/operate/credits/': () => 'c1',
  '/operate/models/': () => 'gpt-x',
  '/operate/groups/': () => 'default',
  '/operate/vendors/': () => 'openai',
}

function pathOf(route: OperationRoute, fixture: ConsoleFixture): string {
  const [before = '', after] = route.path.split('{id}')
  const id = idAfter[before]?.(fixture)
  if (after !== undefined && id === undefined) throw new Error(`no id is known for ${route.path}`)
  const path = after === undefined ? route.path : before + encodeURIComponent(id ?? '') + after
  const query = new URLSearchParams()
  if (route.owns === 'accounts' || route.owns === 'one-account') query.set('account', 'acme')
  // Members may end their own membership: see account.test.ts.
  if (route.path.endsWith('/members'))
    query.set('user', route.owns === 'path-member' ? 'u_owen' : 'u_ann')
  return `/console/api${path.replace('{rest}', 'v1/models')}?${query.toString()}`
}

/** Every person who returns from this provider is unknown. */
const strangeProvider: OpenIdProvider = {
  label: 'Elsewhere',
  rules: noRules,
  begin: async () => ({
    url: 'https://login.example.com/',
    pending: { state: 's', nonce: 'n', verifier: 'v' },
  }),
  finish: async () => ({
    openId: 'https://login.example.com nobody',
    email: undefined,
    authenticatedAtMs: 0,
    groups: { kind: 'ignored' },
  }),
}

let fixture: ConsoleFixture
let recordingId = ''
let messageId = ''
const cookies = new Map<Caller, string>()

async function openMatrixFixture(): Promise<ConsoleFixture> {
  const opened = await openConsoleFixture({ openId: strangeProvider })
  const invited = { password_hash: null, role: 'member', created_at: 1 }
  const { db } = opened.engine
  await db
    .insertInto('console_user')
    .values([
      // An unverified login has no rights, not even with the role of an administrator.
      {
        ...invited,
        id: 'u_invited',
        email: 'ivy@example.com u_invited',
        invited_email: 'ivy@example.com',
        invited_to: 'acme',
        role: 'admin',
      },
      {
        ...invited,
        id: 'u_elsewhere',
        email: 'eve@example.com u_elsewhere',
        invited_email: 'eve@example.com',
        invited_to: 'globex',
      },
    ])
    .execute()
  await db
    .insertInto('membership')
    .values([
      { user_id: 'u_invited', account_id: 'acme', role: 'owner' },
      { user_id: 'u_elsewhere', account_id: 'globex', role: 'member' },
      { user_id: 'u_elsewhere', account_id: 'acme', role: 'owner' },
    ])
    .execute()
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
  recordingId = await seedRecording(opened)
  await db
    .insertInto('alert')
    .values({
      id: 'alert_a1',
      account_id: 'acme',
      name: 'Money',
      channel: 'slack',
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
  messageId = await addFailedMessage(opened, { alertId: 'alert_a1', accountId: 'acme' })
  return opened
}

function signInAs(on: ConsoleFixture, caller: Caller): Promise<string> | undefined {
  if (caller === 'anonymous') return undefined
  return caller.startsWith('invited')
    ? on.openInvitation(userOf[caller])
    : on.signIn(userOf[caller])
}

beforeAll(async () => {
  fixture = await openMatrixFixture()
  for (const caller of callers) {
    const cookie = await signInAs(fixture, caller)
    if (cookie !== undefined) cookies.set(caller, cookie)
  }
})
afterAll(() => fixture.close())

const refusals: readonly string[] = ['not_signed_in', 'not_allowed', 'not_found']

async function call(
  on: ConsoleFixture,
  route: OperationRoute,
  caller: Caller,
  cookie: string | undefined,
) {
  const path = pathOf(route, on)
  const body = route.owns === 'body-account' ? { accountId: 'acme' } : {}
  const response = await on.send(route.method, path, { cookie, body })
  const text = await response.text()
  const code: unknown =
    response.ok || response.status < 400 ? undefined : JSON.parse(text).error.code
  return { response, text, code: typeof code === 'string' ? code : undefined, caller }
}

describe('every route, for every rejected caller', () => {
  let auditedAtFirst: number
  beforeAll(async () => {
    auditedAtFirst = await countAudit(fixture)
  })
  for (const route of routes) {
    for (const caller of callers) {
      const outcome = expected(route, caller)
      if (outcome === 'passes') continue
      test(`${route.method} ${route.path} by ${caller} is ${outcome}`, async () => {
        const { response, text, code } = await call(fixture, route, caller, cookies.get(caller))
        expect(code).toBe(outcome)
        expect(response.headers.get('cache-control')).toBe('no-store')
        expect(response.headers.get('x-gateway-request-id')).not.toBeNull()
        expect(JSON.parse(text).error.requestId).toBeString()
        expect(await countAudit(fixture)).toBe(auditedAtFirst)
      })
    }
  }
})

/** The body is empty, so most of these end with 400; the test only checks that the caller was admitted. */
describe('every route, for every admitted caller', () => {
  /** A call may delete a resource that the next one needs, so a fixture is used until a call has changed it. */
  let untouched: ConsoleFixture | undefined
  afterAll(() => untouched?.close())

  for (const route of routes) {
    const admitted = callers.filter((caller) => expected(route, caller) === 'passes')
    test(
      `${route.method} ${route.path} lets in ${admitted.join(', ')}`,
      async () => {
        for (const caller of admitted) {
          untouched ??= await openMatrixFixture()
          const own = route.method === 'GET' ? fixture : untouched
          const cookie = own === fixture ? cookies.get(caller) : await signInAs(own, caller)
          const { response, text, code } = await call(own, route, caller, cookie)
          // The other callers have no such resource with the id of this test.
          const isOwn = /^\/(?:sessions|passkeys)\//.test(route.path)
          if (!isOwn)
            expect([caller, refusals.includes(code ?? ''), text]).toEqual([caller, false, text])
          for (const secret of await everySecret(own)) expect(text).not.toContain(secret)
          expect(own.errors).toEqual([])
          if (own === fixture || response.status >= 400) continue
          untouched = undefined
          await own.close()
        }
      },
      patience(60_000),
    )
  }
})

async function countAudit({ engine }: ConsoleFixture): Promise<number> {
  const row = await engine.db
    .selectFrom('audit')
    .select(({ fn }) => fn.countAll().as('count'))
    .executeTakeFirstOrThrow()
  return Number(row.count)
}

/** All values in the database that no response may show. */
async function everySecret({ engine }: ConsoleFixture): Promise<string[]> {
  const { db } = engine
  const keys = await db.selectFrom('api_key').select(['value_hash', 'value_sealed']).execute()
  const users = await db.selectFrom('console_user').select('password_hash').execute()
  const sessions = await db.selectFrom('session').select('token_hash').execute()
  const tokens = await db.selectFrom('admin_token').select('value_hash').execute()
  const credentials = await db.selectFrom('upstream_credential').select('value_sealed').execute()
  return [
    secretValues.upstream,
    ...keys.flatMap((key) => [key.value_hash, key.value_sealed]),
    ...users.flatMap((user) => user.password_hash ?? []),
    ...sessions.map((session) => session.token_hash),
    ...tokens.map((token) => token.value_hash),
    ...credentials.map((credential) => credential.value_sealed),
  ].filter((secret) => secret !== '')
}
