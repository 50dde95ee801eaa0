import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { sql } from 'kysely'
import type {
  AuditAnswer,
  KeysAnswer,
  OverviewAnswer,
  UsageAnswer,
  UsageDetail,
} from '../../../../src/console-api/contract.ts'
import {
  type ConsoleFixture,
  openConsoleFixture,
  readJson,
} from '../../../support/console/console-fixture.ts'
import { type FreshDatabase, freshDatabase } from '../../../support/postgres/fresh-database.ts'
import { postgresServerUrl } from '../../../support/postgres/postgres-server-url.ts'

const api = '/console/api'

describe('lists on SQLite', () => listTests())
if (postgresServerUrl('console lists on Postgres') !== undefined) {
  describe('lists on Postgres', () => listTests(freshDatabase))
}

function listTests(makeDatabase?: () => Promise<FreshDatabase>): void {
  let database: FreshDatabase | undefined
  let fixture: ConsoleFixture
  let owner: string

  beforeAll(async () => {
    database = await makeDatabase?.()
    fixture = await openConsoleFixture(database ? { databaseUrl: database.url } : {})
    owner = await fixture.signIn('u_owen')
  })
  afterAll(async () => {
    await fixture.close()
    await database?.drop()
  })

  function read<T>(path: string, cookie = owner): Promise<T> {
    return readJson<T>(fixture.get(`${api}${path}`, { cookie }))
  }

  describe('the overview', () => {
    test('adds up to the last nano', async () => {
      const { accounts, sampleModel } = await read<OverviewAnswer>('/overview')
      expect(sampleModel).toBe('gpt-x')
      const availableNano = 25_000_000_000n - 12_345_678n - fixture.seeded.costNano
      expect(accounts).toEqual([
        {
          id: 'acme',
          name: 'Acme Robotics',
          isSuspended: false,
          availableNano: String(availableNano),
          heldNano: '12345678',
          spentNano: String(fixture.seeded.costNano),
          keyCount: 5,
          requestCount: 120,
        },
      ])
    })

    test('counts the requests of the last 24 hours, not older ones', async () => {
      fixture.passTime(20 * 3_600_000)
      const { accounts } = await read<OverviewAnswer>('/overview')
      fixture.passTime(-20 * 3_600_000)
      expect(accounts[0]?.requestCount).toBe(34)
    })

    test('shows an administrator every account', async () => {
      const { accounts } = await read<OverviewAnswer>('/overview', await fixture.signIn('u_root'))
      expect(accounts.map((each) => each.id)).toEqual(['acme', 'globex', 'empty'])
    })
  })

  test('a rare action of the audit log is found page by page, and a time to the millisecond', async () => {
    const root = await fixture.signIn('u_root')
    const startMs = fixture.nowMs() + 10 * 3_600_000
    await sql`INSERT INTO audit (at, actor, action, subject)
      WITH RECURSIVE counted(i) AS (
        SELECT CAST(0 AS BIGINT) UNION ALL SELECT i + 1 FROM counted WHERE i < 20100)
      SELECT CAST(${startMs} AS BIGINT) + i * 1000, 'u_root', CASE WHEN i = 7 THEN 'rare.thing' ELSE 'usual' END,
        'number ' || i
      FROM counted`.execute(fixture.engine.db)
    const found: string[] = []
    let pages = 0
    for (let before: string | null = ''; before !== null; pages += 1) {
      const page: AuditAnswer = await read(`/operate/audit?action=rare&before=${before}`, root)
      found.push(...page.rows.map((row) => row.subject))
      before = page.next
    }
    expect([found, pages]).toEqual([['number 7'], 2])
    const time = `from=${startMs + 6_500}&to=${startMs + 9_001}`
    const within: AuditAnswer = await read(`/operate/audit?${time}`, root)
    expect(within.rows.map((row) => row.subject)).toEqual(['number 9', 'number 8', 'number 7'])
    const nothing: AuditAnswer = await read(`/operate/audit?from=${startMs * 2}`, root)
    expect(nothing.rows).toEqual([])
  })

  describe('the keys', () => {
    test('show their state, their scopes and their money', async () => {
      const { keys, next }: KeysAnswer = await read('/keys?sort=created&order=asc')
      expect(next).toBeNull()
      const states = keys.map((key) => `${key.id} ${key.state}`)
      expect(states).toEqual([
        'key_a1 active',
        'key_a2 active',
        'key_a3 disabled',
        'key_a4 expired',
        'key_a5 exhausted',
      ])
      expect(keys[0]).toMatchObject({ quotaNano: '5000000000', spentNano: '1234567891' })
      expect(keys[0]).toMatchObject({ models: null, addresses: null, expiresAt: null })
      expect(keys[3]?.models).toEqual([])
    })

    test('are found by a part of the name or the hint, by an administrator among all', async () => {
      const { db } = fixture.engine
      const root = await fixture.signIn('u_root')
      const key = (id: string) => db.updateTable('api_key').where('id', '=', id)
      await key('key_a3').set({ name: 'Blue WHALE 7', value_hint: 'sk-…xYz1' }).execute()
      await key('key_g1').set({ name: 'whale_of%a!name', value_hint: 'sk-…0000' }).execute()
      const searches: [text: string, ids: string[]][] = [
        ['whale', ['key_a3', 'key_g1']],
        ['WHALE 7', ['key_a3']],
        ['xyZ1', ['key_a3']],
        ['whale_of%a!', ['key_g1']],
        // Neither a pattern, nor the end of a name joined with the beginning of a hint.
        ['whale%7', []],
        ['7sk-', []],
      ]
      for (const [text, ids] of searches) {
        const page: KeysAnswer = await read(`/keys?search=${encodeURIComponent(text)}`, root)
        expect([text, page.keys.map((each) => each.id).sort()]).toEqual([text, ids])
      }
      await key('key_a3').set({ deleted_at: 1 }).execute()
      const left: KeysAnswer = await read('/keys?search=whale', root)
      expect(left.keys.map((each) => each.id)).toEqual(['key_g1'])
      await key('key_a3').set({ deleted_at: null }).execute()
      const first: KeysAnswer = await read('/keys?search=whale&sort=name&limit=1', root)
      const after = `&after=${first.next}`
      const next: KeysAnswer = await read(`/keys?search=whale&sort=name&limit=1${after}`, root)
      expect([first, next].map(({ keys }) => keys.map((each) => each.id))).toEqual([
        ['key_a3'],
        ['key_g1'],
      ])
    })

    test('are paged in every order, newest first by default: each once', async () => {
      const row = await fixture.engine.db
        .selectFrom('api_key')
        .selectAll()
        .where('id', '=', 'key_g1')
        .executeTakeFirstOrThrow()
      // The database generates this column.
      Reflect.deleteProperty(row, 'search_text')
      const many = Array.from({ length: 130 }, (_, index) => {
        const id = `key_h${String(index).padStart(3, '0')}`
        return {
          ...row,
          id,
          value_hash: `hash of ${id}`,
          // Several equal values, so that a page ends among them.
          name: `Name ${index % 7}`,
          created_at: row.created_at + (index % 5),
          expires_at: index % 3 === 0 ? null : 4_000_000_000_000 + (index % 11),
        }
      })
      await fixture.engine.db.insertInto('api_key').values(many).execute()
      const bob = await fixture.signIn('u_bob')
      const all = [row, ...many]
      const orders: [query: string, by: (key: typeof row) => string, isDescending: boolean][] = [
        ['', (key) => String(key.created_at), true],
        ['sort=created&order=asc', (key) => String(key.created_at), false],
        ['sort=name', (key) => key.name.toLowerCase(), false],
        ['sort=name&order=desc', (key) => key.name.toLowerCase(), true],
        ['sort=expires', (key) => String(key.expires_at ?? 9_000_000_000_000), false],
        ['sort=expires&order=desc', (key) => String(key.expires_at ?? 9_000_000_000_000), true],
      ]
      for (const [query, by, isDescending] of orders) {
        const seen: string[] = []
        let after = ''
        let pages = 0
        do {
          const page: KeysAnswer = await read(`/keys?${query}&after=${after}`, bob)
          seen.push(...page.keys.map((key) => key.id))
          after = page.next ?? ''
          pages += 1
        } while (after !== '')
        expect(pages).toBe(3)
        const sorted = all
          .map((key) => [by(key), key.id] as const)
          .sort(([one, id], [other, otherId]) =>
            one === other ? (id < otherId ? -1 : 1) : one < other ? -1 : 1,
          )
          .map(([, id]) => id)
        expect([query, seen]).toEqual([query, isDescending ? sorted.reverse() : sorted])
      }
      for (const wrong of ['sort=value_hash', 'order=up']) {
        const refused = await fixture.get(`/console/api/keys?${wrong}`, { cookie: bob })
        expect([wrong, refused.status]).toEqual([wrong, 400])
      }
    })
  })

  describe('the usage log', () => {
    test('is newest first and paged by request id', async () => {
      const seen: string[] = []
      let before = ''
      do {
        const page: UsageAnswer = await read(`/usage?before=${before}`)
        seen.push(...page.rows.map((row) => row.requestId))
        before = page.next ?? ''
      } while (before !== '')
      expect(seen).toEqual([...fixture.seeded.acmeRequestIds])
    })

    test('merges the accounts of an owner in order of time', async () => {
      const membership = { user_id: 'u_new', account_id: 'acme', role: 'owner' }
      await fixture.engine.db
        .insertInto('membership')
        .values([membership, { ...membership, account_id: 'globex' }])
        .execute()
      const page: UsageAnswer = await read('/usage', await fixture.signIn('u_new'))
      const ids = page.rows.map((row) => row.requestId)
      expect(ids[0]).toBe(fixture.seeded.globexRequestId)
      expect(ids.slice(1)).toEqual(fixture.seeded.acmeRequestIds.slice(0, 49))
      expect(page.next).toBe(ids.at(-1) ?? '')
    })

    test('shows refusals without tokens, and answers with them', async () => {
      const { rows }: UsageAnswer = await read('/usage')
      const refused = rows.find((row) => row.reason === 'model_not_found')
      expect(refused).toMatchObject({ tokens: null, costNano: '0', status: 404, group: null })
      expect(rows[0]).toMatchObject({ keyName: 'Laptop', model: 'gpt-x', status: 200 })
      expect(rows[0]?.tokens).toMatchObject({ input: 1200, cacheRead: 800, output: 340 })
    })

    test('shows the uncovered usage of a request', async () => {
      const id = fixture.seeded.acmeRequestIds[1] ?? ''
      const { db } = fixture.engine
      await db.insertInto('uncovered').values({ request_id: id, uncovered_nano: 7n }).execute()
      expect(await read<UsageDetail>(`/usage/${id}`)).toMatchObject({ uncoveredNano: '7' })
      const other = await read<UsageDetail>(`/usage/${fixture.seeded.acmeRequestIds[0]}`)
      expect(other).not.toHaveProperty('uncoveredNano')
      const file = await fixture.get(`${api}/usage/export?request=${id}`, { cookie: owner })
      expect(await file.text()).toContain(',0.000000007,\r\n')
      await db.deleteFrom('uncovered').execute()
    })

    test('shows all details of one request', async () => {
      const root = await fixture.signIn('u_root')
      const path = `/usage/${fixture.seeded.acmeRequestIds[0]}`
      const detail = await read<UsageDetail>(path, root)
      expect(detail).toMatchObject({
        usageSource: 'upstream',
        upstream: 'one',
        upstreamRequestId: 'up-0',
      })
      expect(detail.warnings).toEqual(['temperature_dropped', 'top_p_clamped'])
      expect(detail.price).toMatchObject({ inputNano: '2500000000', factorMicro: 1_500_000 })
      expect(detail.attempts).toEqual([
        {
          upstream: 'two',
          credential: 'sk-…c1',
          status: 529,
          reason: 'overloaded',
          note: 'weight',
          firstByteMs: 40,
          totalMs: 41,
        },
        {
          upstream: 'one',
          credential: 'sk-…c1',
          status: 200,
          reason: null,
          note: 'weight',
          firstByteMs: 120,
          totalMs: 800,
        },
      ])

      // A member sees the number of attempts, but not their upstreams.
      const own = await read<UsageDetail>(path)
      expect([own.upstream, own.upstreamRequestId]).toEqual([null, null])
      expect(own.attempts).toEqual(
        detail.attempts.map((each) => ({ ...each, upstream: null, credential: null, note: null })),
      )
    })

    test('shows members the upstreams if the operator allows it', async () => {
      const open = await openConsoleFixture({ showsUpstreamsToMembers: true })
      const cookie = await open.signIn('u_owen')
      const response = open.get(`${api}/usage/${open.seeded.acmeRequestIds[0]}`, { cookie })
      const told = await readJson<UsageDetail>(response)
      expect([told.upstream, told.upstreamRequestId]).toEqual(['one', 'up-0'])
      expect(told.attempts.map(({ upstream }) => upstream)).toEqual(['two', 'one'])
      expect(told.attempts.map(({ credential }) => credential)).toEqual([null, null])
      await open.close()
    })

    /** Reads all pages, like the console. */
    async function readAll(query: string, cookie = owner): Promise<UsageAnswer['rows'][number][]> {
      const rows: UsageAnswer['rows'][number][] = []
      for (let before = ''; ; ) {
        const page: UsageAnswer = await read(`/usage?${query}&before=${before}`, cookie)
        rows.push(...page.rows)
        if (page.next === null) return rows
        before = page.next
      }
    }

    const filters: {
      query: string
      fits: (row: UsageAnswer['rows'][number]) => boolean
      count: number
    }[] = [
      { query: 'model=gpt-unknown', fits: (row) => row.model === 'gpt-unknown', count: 13 },
      { query: 'status=502', fits: (row) => row.status === 502, count: 6 },
      { query: 'status=200', fits: (row) => row.status === 200, count: 101 },
      { query: 'status=error', fits: (row) => row.reason !== null, count: 19 },
      { query: 'group=default', fits: (row) => row.group === 'default', count: 107 },
      { query: 'protocol=chat-completions', fits: () => true, count: 120 },
      { query: 'protocol=messages', fits: () => true, count: 0 },
      { query: 'key=key_a1&status=404&model=gpt-unknown', fits: () => true, count: 13 },
      { query: 'key=key_a2', fits: () => true, count: 0 },
      { query: 'key=key_g1', fits: () => true, count: 0 },
    ]
    test.each(filters)('finds $count rows with $query', async ({ query, fits, count }) => {
      const rows = await readAll(query)
      expect(rows).toHaveLength(count)
      expect(rows.every(fits)).toBe(true)
      const ids = rows.map((row) => row.requestId)
      expect(fixture.seeded.acmeRequestIds.filter((id) => ids.includes(id))).toEqual(ids)
    })

    test('finds the rows of a time, its first moment included and its last not', async () => {
      const all = await readAll('')
      const [first, last] = [all[80], all[20]]
      const rows = await readAll(`from=${first?.at}&to=${last?.at}`)
      expect(rows).toEqual(all.slice(21, 81))
    })

    test('shows a key of another account to an administrator alone', async () => {
      expect(await readAll('key=key_g1', await fixture.signIn('u_root'))).toHaveLength(1)
      expect(await readAll('key=key_g1')).toEqual([])
    })

    const wrong = [
      "before=%00'",
      'key=a%20b',
      'status=2xx',
      'status=99',
      'from=yesterday',
      'to=1e9',
      'model=a%00b',
      `group=${'g'.repeat(300)}`,
    ]
    test.each(wrong)('refuses an invalid query: %s', async (query) => {
      const response = await fixture.get(`${api}/usage?${query}`, { cookie: owner })
      expect(response.status).toBe(400)
    })
  })
}
