import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { usageFilter } from '../../../../console/src/usage/usage-search.ts'
import {
  type CatalogueAnswer,
  csvColumns,
  type OverviewAnswer,
  overviewPeriods,
  type StatementAnswer,
  type UsageAnswer,
  type UsageFacets,
  type UsageRow,
  type UsageSeries,
  type UsageTotals,
} from '../../../../src/console-api/contract.ts'
import { spendOfUpstreams } from '../../../../src/console-api/handlers/operate/spend-of-upstreams.ts'
import { formatDollars } from '../../../../src/core/money/money.ts'
import {
  type ConsoleFixture,
  openConsoleFixture,
  readJson,
} from '../../../support/console/console-fixture.ts'
import { type FreshDatabase, freshDatabase } from '../../../support/postgres/fresh-database.ts'
import { postgresServerUrl } from '../../../support/postgres/postgres-server-url.ts'

const api = '/console/api'
const hourMs = 3_600_000

describe('sums on SQLite', () => sumTests())
if (postgresServerUrl('console sums on Postgres') !== undefined) {
  describe('sums on Postgres', () => sumTests(freshDatabase))
}

function sumTests(makeDatabase?: () => Promise<FreshDatabase>): void {
  let database: FreshDatabase | undefined
  let fixture: ConsoleFixture
  let owner: string

  beforeAll(async () => {
    database = await makeDatabase?.()
    fixture = await openConsoleFixture(database ? { databaseUrl: database.url } : {})
    owner = await fixture.signIn('u_owen')
    // The key of every request of acme belongs to Ann, so she sees sums of single keys.
    await fixture.engine.db
      .updateTable('api_key')
      .set({ owner_user_id: 'u_ann' })
      .where('id', '=', 'key_a1')
      .execute()
  })
  afterAll(async () => {
    await fixture.close()
    await database?.drop()
  })

  function read<T>(path: string, cookie = owner): Promise<T> {
    return readJson<T>(fixture.get(`${api}${path}`, { cookie }))
  }

  async function readLog(query: string, cookie = owner): Promise<UsageRow[]> {
    const rows: UsageRow[] = []
    for (let before = ''; ; ) {
      const page: UsageAnswer = await read(`/usage?${query}&before=${before}`, cookie)
      rows.push(...page.rows)
      if (page.next === null) return rows
      before = page.next
    }
  }

  /** A time within an hour, in the middle of the seeded requests. */
  const middle = () => fixture.nowMs() - 5 * hourMs - 12_345
  const early = () => fixture.nowMs() - 11 * hourMs - 54_321

  const queries: [name: string, query: () => string][] = [
    ['nothing', () => ''],
    ['an account', () => 'account=acme'],
    ['a key', () => 'key=key_a1'],
    ['a group', () => 'group=default'],
    ['a protocol', () => 'protocol=chat-completions'],
    ['an unused protocol', () => 'protocol=messages'],
    ['errors', () => 'status=error'],
    ['successful requests', () => 'status=ok'],
    ['a status', () => 'status=502'],
    ['streams', () => 'stream=true'],
    ['requests without a stream', () => 'stream=false'],
    ['requests above a cost', () => 'minCost=1'],
    ['requests below a cost', () => 'maxCost=13000000'],
    ['a period that begins within an hour', () => `from=${middle()}`],
    ['a period that ends within an hour', () => `to=${middle()}`],
    ['a period within hours', () => `from=${early()}&to=${middle()}`],
    ['a few minutes', () => `from=${middle() - 900_000}&to=${middle()}`],
    ['streams of a period', () => `from=${early()}&to=${middle()}&stream=true&status=ok`],
    ['a request id', () => `request=${fixture.seeded.acmeRequestIds[3]}`],
    ['a request id prefix', () => `request=${fixture.seeded.acmeRequestIds[3]?.slice(0, 9)}`],
  ]

  const people = [
    ['an owner', 'u_owen'],
    ['a member', 'u_ann'],
    ['an administrator', 'u_root'],
  ] as const

  describe.each(people)(
    'totals, series and the file of %s are those of the log, narrowed to',
    (_who, userId) => {
      let cookie: string
      beforeAll(async () => {
        cookie = await fixture.signIn(userId)
      })

      for (const [name, query] of queries) {
        test(name, async () => {
          const rows = await readLog(query(), cookie)
          const totals = await read<UsageTotals>(`/usage/totals?${query()}`, cookie)
          const cost = rows.reduce((sum, row) => sum + BigInt(row.costNano), 0n)
          const output = rows.reduce((sum, row) => sum + (row.tokens?.output ?? 0), 0)
          expect(totals).toMatchObject({
            requests: rows.length,
            errors: rows.filter((row) => row.reason !== null).length,
            costNano: String(cost),
            isCut: false,
          })
          expect(totals.tokens.output).toBe(output)
          for (const by of ['model', 'key', 'group', 'account']) {
            const series = await read<UsageSeries>(`/usage/series?${query()}&by=${by}`, cookie)
            expect(sumOf(series.points.map((point) => point.costNano))).toBe(cost)
            expect(sumOf(series.names.map((each) => each.sums.costNano))).toBe(cost)
            expect(series.points.reduce((sum, point) => sum + point.requests, 0)).toBe(rows.length)
          }
          expect(await readCsv(query(), cookie)).toEqual(rows.map(lineOf))
        })
      }
    },
  )

  async function readCsv(query: string, cookie: string): Promise<string[][]> {
    const response = await fixture.get(`${api}/usage/export?${query}`, { cookie })
    expect(response.headers.get('content-type')).toBe('text/csv; charset=utf-8')
    expect(response.headers.get('content-disposition')).toStartWith('attachment')
    const [head = '', ...lines] = (await response.text()).split('\r\n')
    expect(head.split(',')).toEqual([...csvColumns])
    expect(lines.pop()).toBe('')
    return lines.map((line) => line.split(','))
  }

  function lineOf(row: UsageRow): string[] {
    const { tokens } = row
    const counts = tokens
      ? [tokens.input, tokens.cacheRead, tokens.cacheWrite5m, tokens.cacheWrite1h, tokens.output]
      : ['', '', '', '', '']
    return [
      row.requestId,
      new Date(row.at).toISOString(),
      row.accountId,
      row.keyId,
      row.keyName,
      row.model,
      row.protocol,
      row.group,
      row.isStream,
      row.status,
      row.reason,
      formatDollars(BigInt(row.costNano)),
      ...counts,
      tokens?.reasoning,
      row.firstTokenMs,
      row.totalMs,
      formatDollars(BigInt(row.uncoveredNano ?? 0)),
      row.keyOwner,
    ].map((value) => String(value ?? ''))
  }

  test('no name in the exported file is read as a formula', async () => {
    const { db } = fixture.engine
    const keys = db.selectFrom('api_key').select('name').where('id', '=', 'key_g1')
    const { name: before } = await keys.executeTakeFirstOrThrow()
    const rename = (name: string) =>
      db.updateTable('api_key').set({ name }).where('id', '=', 'key_g1').execute()
    await rename('=HYPERLINK("x"), and so on')
    const bob = await fixture.signIn('u_bob')
    const response = await fixture.get(`${api}/usage/export`, { cookie: bob })
    await rename(before)
    expect(await response.text()).toContain(`,"'=HYPERLINK(""x""), and so on",`)
  })

  test('the totals of an account never include other accounts', async () => {
    const bob = await fixture.signIn('u_bob')
    for (const query of ['', 'key=key_a1', 'key=key_a1&status=ok']) {
      const totals = await read<UsageTotals>(`/usage/totals?${query}`, bob)
      expect([query, totals.requests]).toEqual([query, query === '' ? 1 : 0])
    }
    const facets = await read<UsageFacets>('/usage/facets', bob)
    expect(facets.keys.map((key) => key.id)).toEqual(['key_g1'])
    expect(facets.accounts).toEqual([{ id: 'globex', name: 'Globex' }])
  })

  test('an upstream counts every attempt, including failed ones', async () => {
    const { engine } = fixture
    const rows = await engine.db.selectFrom('usage_row').selectAll().execute()
    const tries = await engine.db.selectFrom('attempt').selectAll().execute()
    const { byUpstream } = await spendOfUpstreams(engine, fixture.nowMs())
    for (const id of ['one', 'two']) {
      const own = tries.filter(({ upstream_id }) => upstream_id === id)
      const plain = rows.filter(
        (row) =>
          row.upstream_id === id && tries.every(({ request_id }) => request_id !== row.request_id),
      )
      const failed = own.filter(({ reason }) => reason !== null)
      expect(byUpstream.get(id)).toMatchObject({
        requests: own.length + plain.length,
        errors: failed.length,
      })
    }
    expect(byUpstream.get('two')).toMatchObject({ costNano: '0', firstTokenMs: null })
    expect(byUpstream.get('two')?.requests).toBeGreaterThan(0)
    const costs = rows.filter((row) => row.upstream_id === 'one').map((row) => row.cost_nano)
    expect(byUpstream.get('one')?.costNano).toBe(
      String(costs.reduce((sum, cost) => sum + cost, 0n)),
    )
  })

  test('a short period has steps of five minutes', async () => {
    const fromMs = fixture.nowMs() - 2 * hourMs
    const series = await read<UsageSeries>(`/usage/series?from=${fromMs}`)
    const rows = await readLog(`from=${fromMs}`)
    expect(rows.length).toBeGreaterThan(0)
    expect(series.step).toBe('minutes')
    expect(series.points.every(({ at }) => at % 300_000 === 0)).toBe(true)
    expect(new Set(series.points.map(({ at }) => at)).size).toBeGreaterThan(2)
    expect(series.points.reduce((sum, { requests }) => sum + requests, 0)).toBe(rows.length)
    const longer = await read<UsageSeries>(`/usage/series?from=${fromMs - 1}`)
    expect(longer.step).toBe('hour')
  })

  describe('the overview', () => {
    for (const [period, by] of [
      ['24h', 'model'],
      ['7d', 'key'],
      ['30d', 'group'],
      ['90d', 'account'],
    ] as const) {
      test(`of ${period} by ${by} is that of the log`, async () => {
        const overview = await read<OverviewAnswer>(`/overview?period=${period}&by=${by}`)
        const rows = await readLog(`from=${overview.from}`)
        expect(overview.now.requests).toBe(rows.length)
        expect(overview.now.costNano).toBe(String(sumOf(rows.map((row) => row.costNano))))
        const points = overview.series.points.map((point) => point.costNano)
        expect(String(sumOf(points))).toBe(overview.now.costNano)
        expect(overview.before).toMatchObject({ requests: 0, costNano: '0', firstTokenMs: null })
        const failed = rows.filter((row) => row.reason !== null).slice(0, 8)
        expect(overview.failures).toEqual(failed)
        const { availableNano = '', heldNano = '', spentNano = '' } = overview.credit ?? {}
        expect(String(sumOf([availableNano, heldNano, spentNano]))).toBe('25000000000')
      })
    }

    test.each(overviewPeriods)('of %s has the same counts as the usage page', async (period) => {
      const nowMs = fixture.nowMs()
      const overview = await read<OverviewAnswer>(`/overview?period=${period}`)
      const { from = '' } = usageFilter({ period }, nowMs)
      expect(Number(from)).toBe(overview.from)
      const totals = await read<UsageTotals>(`/usage/totals?from=${from}`)
      expect([totals.requests, totals.costNano]).toEqual([
        overview.now.requests,
        overview.now.costNano,
      ])
    })

    test('shows the changes since the previous period', async () => {
      fixture.passTime(20 * hourMs)
      const overview = await read<OverviewAnswer>('/overview?period=24h&by=key')
      fixture.passTime(-20 * hourMs)
      expect(overview.now.requests + overview.before.requests).toBe(120)
      expect(overview.before.requests).toBeGreaterThan(0)
      expect(overview.movers).toEqual([
        {
          id: 'key_a1',
          name: 'Laptop',
          costNano: overview.now.costNano,
          costBeforeNano: overview.before.costNano,
          requests: overview.now.requests,
          requestsBefore: overview.before.requests,
          errors: overview.now.errors,
          errorsBefore: overview.before.errors,
        },
      ])
    })
  })

  describe('the statement', () => {
    test('adds up to the last nano, whatever the period', async () => {
      const day = (ms: number) => new Date(ms).toISOString().slice(0, 10)
      const now = fixture.nowMs()
      const periods = ['', `from=${day(now)}&to=${day(now)}`, 'from=2020-01-01&to=2020-12-31']
      for (const period of [...periods, `from=${day(now - 24 * hourMs)}&to=${day(now)}`]) {
        const bill = await read<StatementAnswer>(`/billing?account=acme&${period}`)
        const spent = sumOf(bill.days.map((line) => line.costNano))
        const credited = sumOf(bill.credits.map((line) => line.amountNano))
        expect(bill.differenceNano).toBe('0')
        expect([bill.spentNano, bill.creditedNano]).toEqual([String(spent), String(credited)])
        expect(sumOf(bill.keys.map((line) => line.costNano))).toBe(spent)
        const { openingNano, closingNano, sinceNano, availableNano, heldNano } = bill
        expect(BigInt(openingNano ?? '') + credited - spent).toBe(BigInt(closingNano ?? ''))
        expect(sumOf([closingNano ?? '', sinceNano ?? ''])).toBe(
          sumOf([availableNano ?? '', heldNano ?? '']),
        )
        expect(sumOf(bill.holds.map((hold) => hold.heldNano))).toBe(BigInt(heldNano ?? ''))
      }
    })

    test('of a day has that day’s requests', async () => {
      const day = new Date(fixture.nowMs()).toISOString().slice(0, 10)
      const bill = await read<StatementAnswer>(`/billing?account=acme&from=${day}&to=${day}`)
      const rows = await readLog(`from=${Date.parse(day)}`)
      const cost = String(sumOf(rows.map((row) => row.costNano)))
      const line = { day, requests: rows.length, costNano: cost }
      expect(bill.days).toEqual(rows.length === 0 ? [] : [line])
    })

    test('reports a ledger that does not balance', async () => {
      const { db } = fixture.engine
      const change = (nano: bigint) =>
        db
          .updateTable('account')
          .set((eb) => ({ available_nano: eb('available_nano', '-', nano) }))
          .where('id', '=', 'acme')
          .execute()
      await change(7n)
      const bill = await read<StatementAnswer>('/billing?account=acme')
      await change(-7n)
      expect(bill.differenceNano).toBe('7')
    })
  })

  test('the catalogue has prices with the group’s factor', async () => {
    const { models } = await read<CatalogueAnswer>('/models')
    expect(models).toMatchObject([
      {
        id: 'gpt-x',
        contextTokens: 128_000,
        capabilities: ['streaming', 'tools'],
        prices: [{ group: 'default', factor: '1.5' }],
      },
    ])
    expect(models[0]?.prices[0]?.price).toMatchObject({
      inputNano: '3750000000',
      cacheReadNano: '1875000005',
      outputNano: '15000000000',
    })
    expect(models[0]?.endpoints.filter((each) => each.isNative)).toHaveLength(1)
    expect((await read<CatalogueAnswer>('/models?search=none')).models).toEqual([])
    const unknown = await fixture.get(`${api}/models`, { cookie: await fixture.signIn('u_new') })
    expect((await readJson<CatalogueAnswer>(unknown)).models).toHaveLength(1)
  })

  const wrong: readonly [string, number][] = [
    ['/usage?status=wrong', 400],
    ['/usage?stream=maybe', 400],
    ['/usage?minCost=1.5', 400],
    ['/usage?from=yesterday', 400],
    ['/usage?request=%27;', 400],
    ['/usage/series?by=moon', 400],
    ['/usage/series?step=minute', 400],
    ['/usage/series?step=hour&from=0', 422],
    ['/overview?period=1y', 400],
    ['/billing?account=acme&from=2026-13-01', 400],
    ['/billing?account=acme&from=2026-02-02&to=2026-02-01', 422],
  ]
  for (const [path, status] of wrong) {
    test(`${path} is ${status}`, async () => {
      expect((await fixture.get(`${api}${path}`, { cookie: owner })).status).toBe(status)
      expect(fixture.errors).toEqual([])
    })
  }
}

function sumOf(amounts: readonly string[]): bigint {
  return amounts.reduce((sum, amount) => sum + BigInt(amount), 0n)
}
