import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { authorise } from '../../src/console-api/authorise.ts'
import type {
  KeysAnswer,
  OverviewAnswer,
  SessionAnswer,
  UsageAnswer,
} from '../../src/console-api/contract.ts'
import { routes } from '../../src/console-api/routes.ts'
import { annPassword, secretValues } from './console-seed.ts'
import { type ConsoleStage, openConsoleStage, readJson } from './console-stage.ts'

let stage: ConsoleStage
const callers = ['anonymous', 'ann', 'bob', 'root'] as const
type Caller = (typeof callers)[number]
const signIn = async (caller: Caller) =>
  caller === 'anonymous' ? undefined : stage.signIn(`u_${caller}`)

const read = <T>(path: string, cookie: string) => readJson<T>(stage.get(path, { cookie }))

beforeAll(async () => {
  stage = await openConsoleStage()
})
afterAll(() => stage.close())

interface Row {
  readonly call: string
  readonly path: () => string
  readonly body?: unknown
  /** Ann owns the thing the path names, Bob does not, root is an administrator. */
  readonly status: readonly [anonymous: number, ann: number, bob: number, root: number]
}

const rows: readonly Row[] = [
  { call: 'GET /session', path: () => '/session', status: [200, 200, 200, 200] },
  { call: 'GET /overview', path: () => '/overview', status: [401, 200, 200, 200] },
  { call: 'GET /overview', path: () => '/overview?account=acme', status: [401, 200, 404, 200] },
  { call: 'GET /keys', path: () => '/keys', status: [401, 200, 200, 200] },
  { call: 'GET /keys', path: () => '/keys?account=acme', status: [401, 200, 404, 200] },
  { call: 'GET /usage', path: () => '/usage', status: [401, 200, 200, 200] },
  { call: 'GET /usage', path: () => '/usage?account=acme', status: [401, 200, 404, 200] },
  { call: 'GET /usage', path: () => '/usage?key=key_a1', status: [401, 200, 200, 200] },
  {
    call: 'GET /usage/{id}',
    path: () => `/usage/${stage.seeded.acmeRequestIds[0]}`,
    status: [401, 200, 404, 200],
  },
  { call: 'GET /usage/{id}', path: () => '/usage/none-such', status: [401, 404, 404, 404] },
  {
    call: 'POST /sign-in',
    path: () => '/sign-in',
    body: { email: 'ann@example.com', password: annPassword },
    status: [200, 200, 200, 200],
  },
  {
    call: 'POST /sign-in-link',
    path: () => '/sign-in-link',
    body: { token: 'never-minted' },
    status: [410, 410, 410, 410],
  },
  {
    call: 'POST /password',
    path: () => '/password',
    body: { password: annPassword },
    status: [401, 200, 200, 200],
  },
  { call: 'POST /sign-out', path: () => '/sign-out', status: [401, 200, 200, 200] },
]

describe('every route, for every kind of caller', () => {
  for (const row of rows) {
    for (const [index, caller] of callers.entries()) {
      const status = row.status[index] ?? 0
      test(`${row.call} by ${caller} is ${status} (row ${rows.indexOf(row)})`, async () => {
        const cookie = await signIn(caller)
        const path = `/console/api${row.path()}`
        const isGet = row.call.startsWith('GET')
        const response = isGet
          ? await stage.get(path, { cookie })
          : await stage.post(path, { cookie, body: row.body })
        const text = await response.text()
        expect(`${response.status} ${response.ok ? '' : text}`.trim()).toStartWith(String(status))
        expect(response.headers.get('cache-control')).toBe('no-store')
        expect(response.headers.get('x-gateway-request-id')).not.toBeNull()
        for (const secret of await everySecret()) expect(text).not.toContain(secret)
        if (!response.ok) expect(JSON.parse(text).error.requestId).toBeString()
      })
    }
  }

  test('no route is missing from this table', () => {
    const declared = routes.map((route) => `${route.method} ${route.path}`)
    expect([...new Set(rows.map((row) => row.call))].sort()).toEqual([...new Set(declared)].sort())
  })
})

/** Everything the database holds that no answer may show. */
async function everySecret(): Promise<string[]> {
  const { db } = stage.engine
  const keys = await db.selectFrom('api_key').select(['value_hash', 'value_sealed']).execute()
  const users = await db.selectFrom('console_user').select('password_hash').execute()
  const sessions = await db.selectFrom('session').select('token_hash').execute()
  return [
    ...Object.values(secretValues),
    ...keys.flatMap((key) => [key.value_hash, key.value_sealed]),
    ...users.flatMap((user) => user.password_hash ?? []),
    ...sessions.map((session) => session.token_hash),
  ]
}

describe('a member', () => {
  test('sees the keys and requests of its own accounts and of no other', async () => {
    const cookie = await stage.signIn('u_bob')
    const keys = await read<KeysAnswer>('/console/api/keys', cookie)
    expect(keys.keys.map((key) => key.id)).toEqual(['key_g1'])
    const usage = await read<UsageAnswer>('/console/api/usage', cookie)
    const ids = usage.rows.map((row) => row.requestId)
    expect(ids).toEqual([stage.seeded.globexRequestId])
    const foreign = await read<UsageAnswer>('/console/api/usage?key=key_a1', cookie)
    expect(foreign.rows).toEqual([])
    const session = await read<SessionAnswer>('/console/api/session', cookie)
    expect(session.accounts).toEqual([{ id: 'globex', name: 'Globex' }])
    expect(session.user?.role).toBe('member')
  })

  test('without an account sees empty lists, not everything', async () => {
    await stage.engine.db
      .insertInto('console_user')
      .values({
        id: 'u_lone',
        email: 'lone@x.org',
        password_hash: null,
        role: 'member',
        created_at: 1,
      })
      .execute()
    const cookie = await stage.signIn('u_lone')
    const keys = await read<KeysAnswer>('/console/api/keys', cookie)
    const usage = await read<UsageAnswer>('/console/api/usage', cookie)
    const overview = await read<OverviewAnswer>('/console/api/overview', cookie)
    expect([keys.keys, usage.rows, overview.accounts]).toEqual([[], [], []])
  })

  test('may not call a route that is for administrators', async () => {
    const session = {
      tokenHash: '',
      userId: 'u_ann',
      email: '',
      isAdmin: false,
      hasPassword: true,
      createdAtMs: 0,
    }
    const call = { session, query: new URLSearchParams(), id: '' }
    const adminOnly = { who: 'admin', owns: 'self' } as const
    expect(authorise(stage.engine, adminOnly, call)).rejects.toThrow('administrator')
    const asAdmin = { ...call, session: { ...session, isAdmin: true } }
    expect(await authorise(stage.engine, adminOnly, asAdmin)).toEqual({ accountIds: [] })
  })
})

describe('an API key', () => {
  for (const header of ['authorization', 'x-api-key', 'x-goog-api-key', 'cookie']) {
    test(`in ${header} does not open the console`, async () => {
      const value = header === 'cookie' ? `tollgate_session=${secretValues.key}` : secretValues.key
      const headers = { [header]: header === 'authorization' ? `Bearer ${value}` : value }
      expect((await stage.get('/console/api/keys', { headers })).status).toBe(401)
    })
  }
})

describe('an address that is not there', () => {
  test('is 404, and a wrong method 405 with Allow', async () => {
    expect((await stage.get('/console/api/nothing')).status).toBe(404)
    expect((await stage.get('/console/api')).status).toBe(404)
    const wrong = await stage.get('/console/api/sign-in')
    expect([wrong.status, wrong.headers.get('allow')]).toEqual([405, 'POST'])
    expect(stage.errors).toEqual([])
  })
})
