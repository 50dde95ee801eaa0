import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { createToken } from '../../../src/admin-tokens/token-store.ts'
import { systemRandom } from '../../../src/core/id.ts'
import { write } from '../../../src/store/changes/write.ts'
import { type ConsoleFixture, openConsoleFixture } from '../../support/console/console-fixture.ts'

/*
 * A token of the account globex names resources of acme where no path names them: in parameters and in bodies. The
 * response is the same as for a name that does not exist, and nothing changes.
 */

let fixture: ConsoleFixture
let token: string
beforeAll(async () => {
  fixture = await openConsoleFixture()
  const { engine, vault } = fixture
  await engine.db
    .insertInto('service_group')
    .values({ id: 'of-acme', factor_micro: 1, restricted: 1, created_at: 1 })
    .execute()
  await engine.db
    .insertInto('group_grant')
    .values({ account_id: 'acme', group_id: 'of-acme', ends_at: null })
    .execute()
  const tools = { vault, random: systemRandom, nowMs: fixture.nowMs() }
  const settings = {
    name: 'of globex',
    scopes: ['all'] as const,
    accountId: 'globex',
    expiresAt: null,
    addresses: null,
  }
  // A token of an owner may also change what the account records.
  const made = await write(engine, tools.nowMs, (writing) =>
    createToken(writing, tools, settings, { kind: 'user', userId: 'u_bob' }),
  )
  token = made.value
})
afterAll(() => fixture.close())

interface Row {
  readonly method: string
  readonly path: (name: string) => string
  readonly body?: (name: string) => object
  /** The resource of acme, and a name of the same shape that does not exist. */
  readonly foreign: () => string
  readonly missing: string
}

const reads = (path: string, parameter: string, foreign: () => string, missing: string): Row => ({
  method: 'GET',
  path: (name) =>
    `${path}${path.includes('?') ? '&' : '?'}${parameter}=${encodeURIComponent(name)}`,
  foreign,
  missing,
})
const sends = (
  method: string,
  path: string,
  body: (name: string) => object,
  foreign: string,
  missing: string,
): Row => ({ method, path: () => path, body, foreign: () => foreign, missing })

const ofAcme = () => fixture.seeded.acmeRequestIds[0] ?? ''
const noRequest = '01900000-0000-7000-8000-000000000000'
const alert = { name: 'a', channel: 'webhook', kinds: ['credit_low'] }
const hook = { url: 'https://hooks.example.com/', secret: 'a-secret-that-signs-webhooks' }
const email = { accountId: 'globex', name: 'a', channel: 'email', kinds: ['credit_low'] }

const rows: readonly Row[] = [
  ...['/usage', '/usage/totals', '/usage/series', '/usage/export?format=ndjson'].flatMap((path) => [
    reads(path, 'key', () => 'key_a1', 'key_a9'),
    reads(path, 'request', ofAcme, noRequest),
    reads(path, 'account', () => 'acme', 'nowhere'),
  ]),
  ...['/keys', '/overview', '/catalogue', '/key-options', '/statement', '/alerts', '/tokens'].map(
    (path) => reads(path, 'account', () => 'acme', 'nowhere'),
  ),
  reads('/keys', 'group', () => 'of-acme', 'of-none'),
  reads('/messages', 'account', () => 'acme', 'nowhere'),
  sends(
    'POST',
    '/keys',
    (ownerId) => ({ accountId: 'globex', name: 'k', ownerId }),
    'u_ann',
    'u_not',
  ),
  sends(
    'PUT',
    '/keys/new',
    (ownerId) => ({ accountId: 'globex', name: 'k', ownerId }),
    'u_ann',
    'u_not',
  ),
  sends(
    'POST',
    '/keys',
    (group) => ({ accountId: 'globex', name: 'k', groups: [group] }),
    'of-acme',
    'of-none',
  ),
  sends('PATCH', '/keys/key_g1', (group) => ({ groups: [group] }), 'of-acme', 'of-none'),
  sends('POST', '/keys', (accountId) => ({ accountId, name: 'k' }), 'acme', 'none'),
  sends('PUT', '/keys/new', (accountId) => ({ accountId, name: 'k' }), 'acme', 'none'),
  sends('POST', '/alerts', (accountId) => ({ ...alert, ...hook, accountId }), 'acme', 'none'),
  sends(
    'POST',
    '/alerts',
    (who) => ({ ...email, emails: [who] }),
    'ann@example.com',
    'not@example.com',
  ),
  sends(
    'POST',
    '/tokens',
    (accountId) => ({ name: 't', scopes: ['read'], accountId }),
    'acme',
    'none',
  ),
  sends(
    'PATCH',
    '/accounts/globex/recording',
    (key) => ({ scope: 'keys', keyIds: [key] }),
    'key_a1',
    'key_a9',
  ),
  {
    method: 'PATCH',
    path: (user) => `/accounts/globex/members?user=${user}`,
    body: () => ({ role: 'viewer' }),
    foreign: () => 'u_ann',
    missing: 'u_not',
  },
  {
    method: 'DELETE',
    path: (user) => `/accounts/globex/members?user=${user}`,
    foreign: () => 'u_ann',
    missing: 'u_not',
  },
]

describe('a name of another account', () => {
  test.each(
    rows.map(
      (row) =>
        [`${row.method} ${row.path('…')} ${JSON.stringify(row.body?.('…') ?? '')}`, row] as const,
    ),
  )('%s', async (_, row) => {
    const before = await changes()
    const told = await call(row, row.foreign())
    const other = await call(row, row.missing)
    expect(told).toEqual(other)
    expect(await changes()).toEqual(before)
  })
})

async function call({ method, path, body }: Row, name: string) {
  const response = await fixture.admin(token, method, path(name), {
    ...(body && { body: body(name) }),
  })
  const text = (await response.text()).replaceAll(name, 'NAME')
  return [response.status, text.replace(/"(instance|requestId)":"[^"]*"/g, '')]
}

function changes() {
  return fixture.engine.db.selectFrom('audit').selectAll().execute()
}
