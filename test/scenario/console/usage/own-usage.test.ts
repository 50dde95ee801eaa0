import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import type {
  AccountDetail,
  KeysAnswer,
  OverviewAnswer,
  PlaygroundOptions,
  StatementAnswer,
  UsageAnswer,
  UsageFacets,
  UsageSeries,
  UsageTotals,
} from '../../../../src/console-api/contract.ts'
import { readJson } from '../../../support/console/console-fixture.ts'
import { type FreshDatabase, freshDatabase } from '../../../support/postgres/fresh-database.ts'
import { postgresServerUrl } from '../../../support/postgres/postgres-server-url.ts'
import {
  modelOf,
  nameOf,
  type OwnerFixture,
  openOwnerFixture,
  type PersonalKey,
  serviceKey,
} from '../keys/key-owner-fixture.ts'

/* Members see their own keys and requests; data of others is in no list, filter, export or sum. */

const api = '/console/api'
const people = ['u_ann', 'u_amy', 'u_vera', 'u_ivy', 'u_left', 'u_owen', 'u_root'] as const

describe('usage that members see on SQLite', () => usageTests())
if (postgresServerUrl('what members see on Postgres') !== undefined) {
  describe('usage that members see on Postgres', () => usageTests(freshDatabase))
}

function usageTests(makeDatabase?: () => Promise<FreshDatabase>): void {
  let database: FreshDatabase | undefined
  let fixture: OwnerFixture
  const cookies = new Map<string, string>()

  beforeAll(async () => {
    database = await makeDatabase?.()
    fixture = await openOwnerFixture(database?.url)
    for (const userId of people) {
      const open = userId === 'u_ivy' ? fixture.openInvitation : fixture.signIn
      cookies.set(userId, await open(userId))
    }
  })
  afterAll(async () => {
    await fixture.close()
    await database?.drop()
  })

  const read = <T>(userId: string, path: string) =>
    readJson<T>(fixture.get(`${api}${path}`, { cookie: cookies.get(userId) }))

  describe('lists show', () => {
    const everyKey = ['key_ann', 'key_amy', 'key_owen', 'key_ivy', 'key_vera', 'key_left']
    const rows: readonly [string, readonly string[]][] = [
      ['u_ann', ['key_ann']],
      ['u_amy', ['key_amy']],
      ['u_vera', ['key_vera']],
      ['u_ivy', ['key_ivy']],
      ['u_left', []],
      ['u_owen', [...everyKey, 'key_a1', 'key_a2', 'key_a3', 'key_a4', 'key_a5']],
      ['u_root', [...everyKey, 'key_a1', 'key_a2', 'key_a3', 'key_a4', 'key_a5', 'key_g1']],
    ]
    test.each(rows)('%s the keys %p', async (userId, ids) => {
      const { keys } = await read<KeysAnswer>(userId, '/keys')
      expect(keys.map(({ id }) => id).toSorted()).toEqual([...ids].toSorted())
      const facets = await read<UsageFacets>(userId, '/usage/facets')
      expect(facets.keys.map(({ id }) => id).toSorted()).toEqual([...ids].toSorted())
    })

    test('the playground offers keys whose value one may use', async () => {
      const offered = async (userId: string) => {
        const { keys } = await read<PlaygroundOptions>(userId, '/playground/options?account=acme')
        return keys.map(({ id }) => id).toSorted()
      }
      expect(await offered('u_ann')).toEqual(['key_ann'])
      expect(await offered('u_vera')).toEqual([])
      expect(await offered('u_owen')).toEqual(['key_a1', 'key_a2', 'key_a5', 'key_owen'])
      expect(await offered('u_root')).toEqual(['key_a1', 'key_a2', 'key_a5'])
    })

    test('an owner of the account all keys with their owners, limits and spending', async () => {
      const { keys } = await read<KeysAnswer>('u_owen', '/keys')
      const told = keys.map(({ id, ownerId, ownerEmail, state }) => [
        id,
        ownerId,
        ownerEmail,
        state,
      ])
      expect(told).toContainEqual(['key_ann', 'u_ann', 'ann@example.com', 'active'])
      expect(told).toContainEqual(['key_ivy', 'u_ivy', 'ivy@example.com', 'active'])
      // A viewer uses no key.
      expect(told).toContainEqual(['key_vera', 'u_vera', 'vera@example.com', 'stopped'])
      expect(told).toContainEqual(['key_left', 'u_left', 'lee@example.com', 'stopped'])
      expect(told).toContainEqual(['key_a1', null, null, 'active'])
      const stopped = await read<KeysAnswer>('u_owen', '/keys?state=stopped')
      expect(stopped.keys.map(({ id }) => id).toSorted()).toEqual(['key_left', 'key_vera'])
    })
  })

  describe('a member sees no data of others', () => {
    /** All reads of usage, with every filter that names data of others. */
    const questions = [
      '/keys',
      '/keys?search=Name',
      '/keys?account=acme&state=enabled',
      '/usage',
      '/usage?account=acme&status=error',
      '/usage?status=ok',
      '/usage?minCost=1',
      '/usage/totals',
      '/usage/totals?status=error',
      '/usage/series?by=key',
      '/usage/series?by=model',
      '/usage/series?by=account&status=ok',
      '/usage/facets',
      '/usage/export?format=csv',
      '/usage/export?format=ndjson&status=error',
      '/overview?by=key&period=24h',
      '/overview?by=model&period=90d',
      '/billing?account=acme',
      '/playground/options',
      ...[
        'key=key_amy',
        `key=${serviceKey}`,
        `model=${modelOf('key_amy')}`,
        'user=u_amy',
        'user=u_owen&key=key_owen',
        'user=u_left&account=acme',
      ].flatMap((filter) =>
        ['/usage?', '/usage/totals?', '/usage/series?by=key&', '/usage/export?format=csv&'].map(
          (path) => path + filter,
        ),
      ),
    ]

    const callers = [
      ['a member', 'u_ann', 'key_ann'],
      ['a viewer', 'u_vera', 'key_vera'],
      ['an invited login', 'u_ivy', 'key_ivy'],
      ['a former member', 'u_left', undefined],
    ] as const
    const all: PersonalKey[] = ['key_ann', 'key_amy', 'key_owen', 'key_ivy', 'key_vera', 'key_left']
    const cases = callers.flatMap((caller) => questions.map((path) => [...caller, path] as const))

    test.each(cases)('%s (%s, %s): %s', async (_name, userId, ownKey, path) => {
      const response = await fixture.get(`${api}${path}`, { cookie: cookies.get(userId) })
      const text = await response.text()
      // The account does not exist for people who are not in it.
      const isOutside = ownKey === undefined && path.includes('account=acme')
      expect([response.status, text]).toEqual([isOutside ? 404 : 200, text])
      const others = all.filter((key) => key !== ownKey)
      const secrets = [
        ...others.flatMap((key) => [
          `"${key}"`,
          nameOf(key),
          modelOf(key),
          fixture.requests.get(key)?.requestId ?? '',
          String(fixture.requests.get(key)?.costNano),
        ]),
        serviceKey,
        nameOf(serviceKey),
        String(fixture.seeded.costNano),
        ...fixture.seeded.acmeRequestIds,
      ]
      // No response repeats a filter, so a match has no other explanation.
      for (const secret of secrets) expect([path, text.includes(secret)]).toEqual([path, false])
    })

    test('sums cover only own keys, and the money of the account is not shown', async () => {
      const { requestId, costNano } = fixture.requests.get('key_ann') ?? {}
      const usage = await read<UsageAnswer>('u_ann', '/usage')
      expect(usage.rows.map((row) => row.requestId)).toEqual([requestId ?? ''])
      const totals = await read<UsageTotals>('u_ann', '/usage/totals')
      expect([totals.requests, totals.costNano]).toEqual([1, String(costNano)])
      const series = await read<UsageSeries>('u_ann', '/usage/series?by=key')
      expect(series.names.map(({ id }) => id)).toEqual(['key_ann'])
      const facets = await read<UsageFacets>('u_ann', '/usage/facets')
      expect(facets.models).toEqual([modelOf('key_ann')])
      expect(facets.users).toEqual([{ id: 'u_ann', email: 'ann@example.com' }])
      const bill = await read<StatementAnswer>('u_ann', '/billing?account=acme')
      expect([bill.spentNano, bill.keys.map(({ keyId }) => keyId)]).toEqual([
        String(costNano),
        ['key_ann'],
      ])
      const { openingNano, closingNano, availableNano, heldNano, creditedNano, credits } = bill
      expect([openingNano, closingNano, availableNano, heldNano, creditedNano, credits]).toEqual([
        null,
        null,
        null,
        null,
        null,
        [],
      ])
      const overview = await read<OverviewAnswer>('u_ann', '/overview')
      expect(overview.credit).toBeNull()
      expect(overview.accounts).toMatchObject([
        { id: 'acme', availableNano: null, heldNano: null, keyCount: 1, requestCount: 1 },
      ])
      expect(overview.now.requests).toBe(1)
      const account = await read<AccountDetail>('u_ann', '/accounts/acme')
      expect(account.availableNano).toBeNull()
    })

    test('a request of another key does not exist', async () => {
      const status = async (userId: string, key: PersonalKey) => {
        const id = fixture.requests.get(key)?.requestId
        return (await fixture.get(`${api}/usage/${id}`, { cookie: cookies.get(userId) })).status
      }
      expect(await status('u_ann', 'key_ann')).toBe(200)
      expect(await status('u_ann', 'key_amy')).toBe(404)
      expect(await status('u_owen', 'key_amy')).toBe(200)
      expect(await status('u_left', 'key_left')).toBe(404)
      expect(await status('u_ann', 'key_left')).toBe(404)
    })

    const ofUsers: readonly [string, string, readonly PersonalKey[]][] = [
      ['u_owen', 'u_amy', ['key_amy']],
      ['u_owen', 'u_left', ['key_left']],
      ['u_owen', 'u_ivy', ['key_ivy']],
      ['u_owen', 'u_owen', ['key_owen']],
      ['u_owen', 'u_nobody', []],
      ['u_root', 'u_amy', ['key_amy']],
      ['u_root', 'u_nobody', []],
      ['u_ann', 'u_ann', ['key_ann']],
      ['u_ann', 'u_amy', []],
    ]
    test.each(ofUsers)('%s filters by the user %s and gets %p', async (caller, user, keys) => {
      for (const more of ['', '&account=acme', '&status=ok']) {
        const filter = `?user=${user}${more}`
        const { rows } = await read<UsageAnswer>(caller, `/usage${filter}`)
        expect(rows.map(({ keyId }) => keyId)).toEqual([...keys])
        const totals = await read<UsageTotals>(caller, `/usage/totals${filter}`)
        const costs = keys.map((key) => fixture.requests.get(key)?.costNano ?? 0n)
        const spent = costs.reduce((sum, each) => sum + each, 0n)
        expect([totals.requests, totals.costNano]).toEqual([keys.length, String(spent)])
        const series = await read<UsageSeries>(caller, `/usage/series${filter}&by=key`)
        expect(series.names.map(({ id }) => id)).toEqual([...keys])
      }
    })

    test('the export names the owner of each key', async () => {
      const exported = async (userId: string, filter: string) => {
        const path = `${api}/usage/export?account=acme&${filter}`
        const text = await (await fixture.get(path, { cookie: cookies.get(userId) })).text()
        const [head = '', ...lines] = text.trimEnd().split('\r\n')
        const at = head.split(',').indexOf('key_owner')
        return lines.map((line) => line.split(',')[at])
      }
      expect(await exported('u_owen', 'user=u_amy')).toEqual(['amy@example.com'])
      expect(await exported('u_owen', 'user=u_ivy')).toEqual(['ivy@example.com'])
      expect(await exported('u_ann', 'key=key_ann')).toEqual(['ann@example.com'])
      const ofService = await exported('u_owen', `key=${serviceKey}`)
      expect(ofService.length).toBeGreaterThan(0)
      expect(new Set(ofService)).toEqual(new Set(['']))
      // A deleted user has no address: the key must not look like a service key.
      await fixture.engine.db
        .updateTable('api_key')
        .set({ owner_user_id: 'u_deleted' })
        .where('id', '=', 'key_left')
        .execute()
      expect(await exported('u_owen', 'key=key_left')).toEqual(['u_deleted'])
      expect(await exported('u_owen', 'user=u_deleted')).toEqual(['u_deleted'])
      const chosen = async (userId: string) =>
        (await read<UsageFacets>(userId, '/usage/facets?account=acme')).users
      const deleted = { id: 'u_deleted', email: 'u_deleted' }
      for (const userId of ['u_owen', 'u_root'])
        expect(await chosen(userId)).toContainEqual(deleted)
      expect(await chosen('u_ann')).not.toContainEqual(deleted)
      await fixture.resetKeys()
    })

    test('owners of the account see everybody’s usage', async () => {
      const all = await read<UsageTotals>('u_owen', '/usage/totals?account=acme')
      expect(all.requests).toBe(120 + fixture.requests.size)
      const bill = await read<StatementAnswer>('u_owen', '/billing?account=acme')
      expect(bill.openingNano).not.toBeNull()
    })
  })
}
