import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { adminRoutes } from '../../../src/console-api/admin/admin-routes.ts'
import { parametersOf } from '../../../src/console-api/admin/parameters.ts'
import { type ConsoleFixture, openConsoleFixture } from '../../support/console/console-fixture.ts'
import { patience } from '../../support/patience.ts'
import { type FreshDatabase, freshDatabase } from '../../support/postgres/fresh-database.ts'
import { postgresServerUrl } from '../../support/postgres/postgres-server-url.ts'

describe('lists of the admin API on SQLite', () => listTests())
if (postgresServerUrl('lists of the admin API on Postgres') !== undefined) {
  describe('lists of the admin API on Postgres', () => listTests(freshDatabase))
}

interface List {
  readonly path: string
  /** The member of the response with the rows, and the member that identifies a row. */
  readonly rows: string
  readonly idOf: (row: Record<string, unknown>) => string
  make(n: number): readonly [method: string, path: string, body: unknown]
  remove(n: number): readonly [method: string, path: string, body?: unknown]
}

const byId = (row: Record<string, unknown>) => String(row['id'])
/** Sorted like the numbers: an odd number sorts between two even ones. */
const word = (n: number) => `p${String(n).padStart(3, '0')}`
const upstream = { vendor: 'openai', baseUrl: 'http://127.0.0.1:9/v1' }

const lists: readonly List[] = [
  {
    path: '/groups',
    rows: 'groups',
    idOf: byId,
    make: (n) => ['PUT', `/groups/${word(n)}`, {}],
    remove: (n) => ['DELETE', `/groups/${word(n)}`],
  },
  {
    path: '/models',
    rows: 'models',
    idOf: byId,
    make: (n) => ['PUT', `/models/${word(n)}`, { displayName: word(n) }],
    remove: (n) => ['DELETE', `/models/${word(n)}`],
  },
  {
    path: '/upstreams',
    rows: 'upstreams',
    idOf: byId,
    make: (n) => ['PUT', `/upstreams/${word(n)}`, upstream],
    remove: (n) => ['DELETE', `/upstreams/${word(n)}`],
  },
  ...['name', 'created', 'expires'].map(
    (sort): List => ({
      path: `/keys?account=globex&sort=${sort}`,
      rows: 'keys',
      idOf: byId,
      make: (n) => ['PUT', `/keys/${sort}-${word(n)}`, { accountId: 'globex', name: word(n) }],
      remove: (n) => ['DELETE', `/keys/${sort}-${word(n)}`],
    }),
  ),
  {
    path: '/routes?upstream=one',
    rows: 'routes',
    idOf: (row) => [row['group'], row['model']].join(' '),
    make: (n) => ['PUT', `/routes?group=default&model=r${word(n)}`, { routes: [routeOf(n)] }],
    remove: (n) => ['PUT', `/routes?group=default&model=r${word(n)}`, { routes: [] }],
  },
]

function routeOf(n: number) {
  const model = `r${word(n)}`
  return { group: 'default', model, upstream: 'one', upstreamModel: model, priority: n % 3 }
}

function listTests(makeDatabase?: () => Promise<FreshDatabase>): void {
  let database: FreshDatabase | undefined
  let fixture: ConsoleFixture
  let all: string
  beforeAll(async () => {
    database = await makeDatabase?.()
    fixture = await openConsoleFixture(database ? { databaseUrl: database.url } : {})
    all = await fixture.makeToken(['all'])
    for (let n = 0; n < 30; n += 1) {
      await ask('PUT', `/models/r${word(n)}`, { displayName: `R ${n}` })
    }
    const hook = { channel: 'slack', url: 'https://hooks.example.com/x' }
    await good('PUT', '/alerts/watch', { ...hook, name: 'Watch', kinds: ['credit_low'] })
  }, patience(30_000))
  afterAll(async () => {
    await fixture.close()
    await database?.drop()
  })

  async function ask(method: string, path: string, body?: unknown) {
    const response = await fixture.admin(all, method, path, { body })
    return { status: response.status, told: JSON.parse(await response.text()) }
  }

  async function good(...[method, path, body]: readonly [string, string, unknown?]) {
    const { status, told } = await ask(method, path, body)
    expect([method, path, status < 300, told]).toEqual([method, path, true, told])
    return told
  }

  async function pageOf({ path, rows, idOf }: List, limit: number, after: string | null) {
    const query = `${path.includes('?') ? '&' : '?'}limit=${limit}`
    const told = await good('GET', path + query + (after === null ? '' : `&after=${after}`))
    return { ids: (told[rows] as Record<string, unknown>[]).map(idOf), next: told.next }
  }

  test.each(lists)(
    '$path: read in pages while rows are added and deleted, no row is repeated or missed',
    async (list) => {
      for (let n = 0; n < 20; n += 2) await good(...list.make(n))
      const stood = new Set((await pageOf(list, 500, null)).ids)
      const seen: string[] = []
      let after: string | null = null
      for (let n = 0; n < 100; n += 1) {
        const page: { ids: string[]; next: string | null } = await pageOf(list, 3, after)
        expect(page.ids.length).toBeLessThanOrEqual(3)
        seen.push(...page.ids)
        after = page.next
        if (after === null) break
        // One row is added and one is deleted: first the row that the cursor was made from.
        if (n < 4) await good(...list.make(2 * n + 1))
        const gone = [4, 6, 12, 16][n]
        if (gone === undefined) continue
        await good(...list.remove(gone))
        const id = list.idOf({
          id: list.make(gone)[1].split('/').at(-1),
          group: 'default',
          model: `r${word(gone)}`,
        })
        stood.delete(id)
      }
      expect(after).toBeNull()
      expect(seen.length).toBe(new Set(seen).size)
      expect([...stood].filter((id) => !seen.includes(id))).toEqual([])
    },
    patience(60_000),
  )

  const paged = adminRoutes.filter(({ route }) =>
    parametersOf(route.query).some(({ name }) => name === 'limit'),
  )
  // The list of an account's recordings is only for its members: recording-access.test.ts.
  const forOperators = paged.map(({ path }) => path).filter((path) => !/{.*recordings/.test(path))
  expect(paged.length - forOperators.length).toBe(1)
  test.each(forOperators)('%s: an invalid cursor or limit is refused', async (listed) => {
    const { query } = paged.find((each) => each.path === listed)?.route ?? {}
    const path = listed.replace('{id}', 'watch')
    const cursor = parametersOf(query).find(({ name }) => name === 'after' || name === 'before')
    const wrong = [
      'limit=0',
      'limit=501',
      'limit=',
      'limit=x',
      'limit=1&limit=2',
      `${cursor?.name}=`,
    ]
    wrong.push(
      `${cursor?.name}=no%20cursor`,
      `${cursor?.name}=%00`,
      `${cursor?.name}=${'a'.repeat(3_000)}`,
    )
    for (const text of wrong) {
      const { status, told } = await ask('GET', `${path}?${text}`)
      expect([text, status, told.code]).toEqual([text, 400, 'invalid_request'])
    }
    const told = await good('GET', `${path}?limit=1`)
    const rows = Object.values(told).find((value) => Array.isArray(value))
    expect((rows as unknown[]).length).toBeLessThanOrEqual(1)
  })

  test('a cursor of another sort order is rejected', async () => {
    const { next } = await good('GET', '/keys?sort=name&limit=1')
    const { status, told } = await ask('GET', `/keys?sort=created&after=${next}`)
    expect([status, told.code, told.errors[0].parameter]).toEqual([422, 'unprocessable', 'after'])
  })

  const ids = (rows: readonly { id: string }[]) => rows.map(({ id }) => id).toSorted()

  test('keys are found by state, group and account', async () => {
    const keys = async (query: string) =>
      ids((await good('GET', `/keys?account=acme&${query}`)).keys)
    expect(await keys('state=expired')).toEqual(['key_a4'])
    expect(await keys('state=disabled')).toEqual(['key_a3'])
    expect(await keys('state=enabled')).toEqual(['key_a1', 'key_a2', 'key_a5'])
    expect(await keys('group=premium')).toEqual(['key_a2'])
    // A pattern, or another case, is another name.
    for (const other of ['prem_um', 'PREMIUM', '%25', 'remiu']) {
      expect([other, await keys(`group=${other}`)]).toEqual([other, []])
    }
    expect((await ask('GET', '/keys?state=none')).status).toBe(400)
  })

  test('upstreams, groups, accounts and users can be filtered', async () => {
    await good('PUT', '/upstreams/off', { ...upstream, isEnabled: false })
    const off = await good('GET', '/upstreams?enabled=false&vendor=openai')
    expect(ids(off.upstreams)).toEqual(['off'])
    const compatible = await good('GET', '/upstreams?vendor=openai-compatible')
    expect(ids(compatible.upstreams)).toEqual(['one'])
    await good('PUT', '/groups/Searched-For', {})
    expect(ids((await good('GET', '/groups?search=arched')).groups)).toEqual(['Searched-For'])
    await good('PATCH', '/accounts/empty', { status: 'suspended' })
    expect(ids((await good('GET', '/accounts?status=suspended')).accounts)).toEqual(['empty'])
    expect(ids((await good('GET', '/users?role=admin')).users)).toEqual(['u_root'])
    expect(ids((await good('GET', '/users?account=acme')).users)).toEqual([
      'u_ann',
      'u_owen',
      'u_vera',
    ])
    await good('PATCH', '/users/u_vera', { isSuspended: true })
    const suspended = await good('GET', '/users?suspended=true&account=acme')
    expect(ids(suspended.users)).toEqual(['u_vera'])
  })
}
