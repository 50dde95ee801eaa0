import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { putMember } from '../../../../src/accounts/member-store.ts'
import type {
  OverviewAnswer,
  StatementAnswer,
  UsageAnswer,
  UsageDetail,
  UsageFacets,
  UsageSeries,
  UsageTotals,
} from '../../../../src/console-api/contract.ts'
import { systemRandom } from '../../../../src/core/id.ts'
import { makeServiceKey } from '../../../../src/keys/make-service-key.ts'
import { write } from '../../../../src/store/changes/write.ts'
import { readJson } from '../../../support/console/console-fixture.ts'
import { addRequest } from '../../../support/console/console-seed.ts'
import { type FreshDatabase, freshDatabase } from '../../../support/postgres/fresh-database.ts'
import { postgresServerUrl } from '../../../support/postgres/postgres-server-url.ts'
import { type OwnerFixture, openOwnerFixture } from '../keys/key-owner-fixture.ts'

/*
 * The key of a former member became a service key in the middle of an hour. Requests until then are the member's, in
 * every list, sum and export; later ones are nobody's.
 */

const api = '/console/api'
const minuteMs = 60_000
const hourMs = 60 * minuteMs

describe('usage of a converted key on SQLite', () => conversionTests())
if (postgresServerUrl('usage of a converted key on Postgres') !== undefined) {
  describe('usage of a converted key on Postgres', () => conversionTests(freshDatabase))
}

function conversionTests(makeDatabase?: () => Promise<FreshDatabase>): void {
  let database: FreshDatabase | undefined
  let fixture: OwnerFixture
  let convertedMs = 0
  const cookies = new Map<string, string>()
  /** Newest first: those before the conversion, and those after. */
  const earlier: { readonly requestId: string; readonly costNano: bigint }[] = []
  const later: { readonly requestId: string; readonly costNano: bigint }[] = []

  beforeAll(async () => {
    database = await makeDatabase?.()
    fixture = await openOwnerFixture(database?.url)
    const { engine, vault } = fixture
    const hour = fixture.nowMs() - (fixture.nowMs() % hourMs)
    convertedMs = hour - 5 * hourMs + 30 * minuteMs
    const add = (at: number, place: number) =>
      addRequest(engine, { at, accountId: 'acme', keyId: 'key_left', age: 900 + place, model: 'm' })
    for (const [place, minutes] of [1, 29, 90, 24 * 60].entries())
      earlier.push(await add(convertedMs - minutes * minuteMs, place))
    for (const [place, minutes] of [120, 29, 1].entries())
      later.push(await add(convertedMs + minutes * minuteMs, 10 + place))
    await write(engine, convertedMs, (writing) =>
      makeServiceKey(writing, { vault, random: systemRandom }, 'key_left'),
    )
    // The seed gave the key one more request, which is after the conversion.
    const seeded = fixture.requests.get('key_left')
    if (seeded) later.unshift(seeded)
    for (const userId of ['u_owen', 'u_root', 'u_ann', 'u_amy'])
      cookies.set(userId, await fixture.signIn(userId))
  })
  afterAll(async () => {
    await fixture.close()
    await database?.drop()
  })

  const read = <T>(userId: string, path: string) =>
    readJson<T>(fixture.get(`${api}${path}`, { cookie: cookies.get(userId) }))
  const ids = (of: readonly { readonly requestId: string }[]) => of.map((each) => each.requestId)
  const sum = (of: readonly { readonly costNano: bigint }[]) =>
    String(of.reduce((total, { costNano }) => total + costNano, 0n))

  const filters = [
    '',
    '&account=acme',
    '&key=key_left',
    '&status=ok',
    '&model=m',
    '&key=key_left&status=ok',
  ]
  test.each(
    ['u_owen', 'u_root'].flatMap((caller) => filters.map((more) => [caller, more] as const)),
  )('%s filters by the former member%s', async (caller, more) => {
    const filter = `?user=u_left${more}`
    const { rows } = await read<UsageAnswer>(caller, `/usage${filter}`)
    expect(ids(rows)).toEqual(ids(earlier))
    const totals = await read<UsageTotals>(caller, `/usage/totals${filter}`)
    expect([totals.requests, totals.costNano]).toEqual([earlier.length, sum(earlier)])
    const series = await read<UsageSeries>(caller, `/usage/series${filter}&by=key`)
    expect(series.names.map(({ id, sums }) => [id, sums.requests, sums.costNano])).toEqual([
      ['key_left', earlier.length, sum(earlier)],
    ])
  })

  const periods: readonly [string, number, number, number][] = [
    ['only the hours before', -30 * 60, -60, 2],
    ['from the hour of the conversion on', -30, 10 * 60, 2],
    ['a part of that hour', -10, 10, 1],
    ['only later', 1, 10 * 60, 0],
  ]
  test.each(periods)('within %s', async (_name, from, to, count) => {
    const period = `from=${convertedMs + from * minuteMs}&to=${convertedMs + to * minuteMs}`
    for (const key of ['', '&key=key_left']) {
      const totals = await read<UsageTotals>('u_owen', `/usage/totals?user=u_left&${period}${key}`)
      expect(totals.requests).toBe(count)
    }
  })

  test('the export names the former member until the conversion, and nobody afterwards', async () => {
    const path = `${api}/usage/export?account=acme&key=key_left`
    const text = await (await fixture.get(path, { cookie: cookies.get('u_owen') })).text()
    const [head = '', ...lines] = text.trimEnd().split('\r\n')
    const at = head.split(',').indexOf('key_owner')
    expect(lines.map((line) => line.split(',')[at])).toEqual([
      ...later.map(() => ''),
      ...earlier.map(() => 'lee@example.com'),
    ])
  })

  test('the detail names the former member, and not the value that the key has now', async () => {
    const detail = (id = '') => read<UsageDetail>('u_owen', `/usage/${id}`)
    expect(await detail(earlier[0]?.requestId)).toMatchObject({
      keyOwner: 'lee@example.com',
      keyHint: null,
    })
    const after = await detail(later[0]?.requestId)
    expect(after.keyOwner).toBeNull()
    expect(after.keyHint).not.toBeNull()
  })

  test('the former member can be chosen, by those who may see the usage', async () => {
    const users = async (userId: string) =>
      (await read<UsageFacets>(userId, '/usage/facets?account=acme')).users.map(({ id }) => id)
    expect(await users('u_owen')).toContain('u_left')
    expect(await users('u_root')).toContain('u_left')
    expect(await users('u_ann')).toEqual(['u_ann'])
  })

  test('another member sees none of the requests', async () => {
    for (const filter of ['', '?user=u_left', '?key=key_left']) {
      const { rows } = await read<UsageAnswer>('u_ann', `/usage${filter}`)
      const all = ids([...earlier, ...later])
      expect(rows.filter(({ requestId }) => all.includes(requestId))).toEqual([])
    }
    for (const { requestId } of [...earlier, ...later]) {
      const path = `${api}/usage/${requestId}`
      expect((await fixture.get(path, { cookie: cookies.get('u_ann') })).status).toBe(404)
    }
  })

  test('the former member sees them after coming back, and nothing of the service key', async () => {
    await write(fixture.engine, fixture.nowMs(), (writing) =>
      putMember(writing, { userId: 'u_left', accountId: 'acme', role: 'member' }),
    )
    cookies.set('u_left', await fixture.signIn('u_left'))
    const mine = <T>(path: string) => read<T>('u_left', path)
    for (const filter of ['', '?user=u_left', '?key=key_left', '?account=acme&status=ok']) {
      expect(ids((await mine<UsageAnswer>(`/usage${filter}`)).rows)).toEqual(ids(earlier))
      const totals = await mine<UsageTotals>(`/usage/totals${filter}`)
      expect([totals.requests, totals.costNano]).toEqual([earlier.length, sum(earlier)])
    }
    const facets = await mine<UsageFacets>('/usage/facets')
    expect(facets.models).toEqual(['m'])
    expect(facets.keys.map(({ id }) => id)).toEqual(['key_left'])
    const from = new Date(convertedMs - 48 * hourMs).toISOString().slice(0, 10)
    const bill = await mine<StatementAnswer>(`/billing?account=acme&from=${from}`)
    expect([bill.spentNano, bill.keys.map((key) => [key.keyId, key.requests])]).toEqual([
      sum(earlier),
      [['key_left', earlier.length]],
    ])
    const overview = await mine<OverviewAnswer>('/overview')
    expect(overview.accounts).toMatchObject([{ id: 'acme', keyCount: 0, requestCount: 3 }])
    const status = async (id: string) =>
      (await fixture.get(`${api}/usage/${id}`, { cookie: cookies.get('u_left') })).status
    for (const { requestId } of earlier) expect(await status(requestId)).toBe(200)
    for (const { requestId } of later) expect(await status(requestId)).toBe(404)
    const key = await fixture.get(`${api}/keys/key_left`, { cookie: cookies.get('u_left') })
    expect(key.status).toBe(404)
  })
}
