import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import type {
  CredentialRow,
  GroupRow,
  ModelDetail,
  ModelGaps,
  ModelsAnswer,
  RoutesAnswer,
  StartModelsAnswer,
  UpstreamDetail,
  UpstreamsAnswer,
  VendorsAnswer,
} from '../../../../src/console-api/contract.ts'
import {
  enteredSecrets,
  exampleUpstream,
  type OperatorFixture,
  openOperatorFixture,
  examplePrice as price,
} from '../../../support/console/console-operator-fixture.ts'
import { freshDatabase } from '../../../support/postgres/fresh-database.ts'
import { postgresServerUrl } from '../../../support/postgres/postgres-server-url.ts'

describe('the catalogue on SQLite', () => catalogTests())
if (postgresServerUrl('console catalogue on Postgres') !== undefined) {
  describe('the catalogue on Postgres', () => catalogTests(freshDatabase))
}

const settings = {
  ...exampleUpstream,
  concurrencyMax: 20,
  timeouts: { connectMs: 2_000 },
  ca: null,
  allowsPrivate: false,
  billsOnAbort: false,
  probe: { everyMs: 30_000, model: null },
  parameters: { drop: ['logit_bias'], default: { top_p: 0.9 } },
}
const { credential, proxy } = enteredSecrets

function catalogTests(makeDatabase?: typeof freshDatabase): void {
  let operator: OperatorFixture
  let fixture: OperatorFixture['fixture']

  beforeAll(async () => {
    operator = await openOperatorFixture(makeDatabase)
    fixture = operator.fixture
  })
  afterAll(() => operator.close())

  const send: OperatorFixture['send'] = (...call) => operator.send(...call)
  const get = <Body>(path: string) => operator.send<Body>('GET', path)
  const refusal: OperatorFixture['refusal'] = (...call) => operator.refusal(...call)
  const snapshot = () => operator.snapshot()
  const makeUpstream = (id: string) =>
    send<UpstreamDetail>('POST', '/operate/upstreams', { id, ...settings, credential, proxy })
  const pathOf = (id: string) => `/operate/upstreams/${encodeURIComponent(id)}`

  describe('an upstream', () => {
    test('is created with its credential and proxy, which no response shows', async () => {
      const made = await makeUpstream('east/1')
      expect(made).toMatchObject({
        id: 'east/1',
        settings,
        proxyHint: 'proxy.example.com:3128',
        needsCredential: false,
        credentials: [{ name: 'first', hint: 'sk-...9f2c', isEnabled: true, isStale: false }],
      })
      const upstream = (await snapshot()).upstreams.get('east/1')
      expect(upstream?.credentials.map(({ value }) => value)).toEqual([credential])
      expect(upstream?.connection.proxy).toBe(proxy)
      expect(upstream?.timeouts).toMatchObject({ connectMs: 2_000, headersMs: 60_000 })
    })

    test('is edited; absent fields stay', async () => {
      await makeUpstream('edited/1')
      const edited = await send<UpstreamDetail>('PATCH', pathOf('edited/1'), {
        concurrencyMax: null,
        probe: null,
        isEnabled: false,
      })
      expect(edited.settings).toEqual({
        ...settings,
        concurrencyMax: null,
        probe: null,
        isEnabled: false,
      } as UpstreamDetail['settings'])
      const upstream = (await snapshot()).upstreams.get('edited/1')
      expect(upstream).toMatchObject({ isEnabled: false, concurrencyMax: undefined })
      expect(upstream?.connection.proxy).toBe(proxy)
    })

    test('that moves to another host does not send its credentials until they are entered again', async () => {
      await makeUpstream('moved/1')
      const moved = await send<UpstreamDetail>('PATCH', pathOf('moved/1'), {
        baseUrl: 'https://elsewhere.example.com/v1',
      })
      expect(moved).toMatchObject({ needsCredential: true, credentials: [{ isStale: true }] })
      expect((await snapshot()).upstreams.get('moved/1')?.credentials).toEqual([])
      const id = moved.credentials[0]?.id ?? ''
      const entered = await send<CredentialRow>('PATCH', `/operate/credentials/${id}`, {
        value: credential,
      })
      expect(entered).toMatchObject({ name: 'first', isStale: false })
      const upstream = (await snapshot()).upstreams.get('moved/1')
      expect(upstream?.credentials.map(({ value }) => value)).toEqual([credential])
    })

    test('has several credentials, which are disabled and deleted one by one', async () => {
      await makeUpstream('several/1')
      const path = `${pathOf('several/1')}/credentials`
      const second = { name: 'second', value: `${credential}-2` }
      const added = await send<CredentialRow>('POST', path, second)
      expect(await refusal('POST', path, second)).toEqual([409, 'conflict', 'name'])
      expect(await refusal('POST', path, { name: 'x', value: 'has spaces in it' })).toEqual([
        400,
        'invalid_request',
        'value',
      ])
      const off = await send<CredentialRow>('PATCH', `/operate/credentials/${added.id}`, {
        isEnabled: false,
        name: 'spare',
      })
      expect(off).toMatchObject({ name: 'spare', isEnabled: false })
      const names = async () =>
        (await snapshot()).upstreams.get('several/1')?.credentials.map(({ name }) => name)
      expect(await names()).toEqual(['first'])
      // A new value does not enable a credential that was disabled.
      const renewed = await send<CredentialRow>('PATCH', `/operate/credentials/${added.id}`, {
        value: 'sk-renewed-while-off-0002',
      })
      expect(renewed).toMatchObject({ name: off.name, isEnabled: false })
      await send('PATCH', `/operate/credentials/${renewed.id}`, { isEnabled: true })
      expect(await names()).toEqual(['first', 'spare'])
      await send('DELETE', `/operate/credentials/${renewed.id}`)
      expect(await names()).toEqual(['first'])
    })

    test('is listed with its cost', async () => {
      await makeUpstream('listed/1')
      const { upstreams } = await get<UpstreamsAnswer>('/operate/upstreams')
      const [listed, one] = upstreams.filter(({ id }) => ['listed/1', 'one'].includes(id))
      expect([listed?.id, listed?.routeCount]).toEqual(['listed/1', 0])
      expect([one?.id, one?.routeCount]).toEqual(['one', 1])
      expect(listed?.spend).toMatchObject({ requests: 0, costNano: '0' })
      expect(one?.spend.requests).toBeGreaterThan(100)
      expect(BigInt(one?.spend.costNano ?? 0)).toBeGreaterThan(fixture.seeded.costNano)
    })

    const wrong: [change: Record<string, unknown>, field: string][] = [
      [{ vendor: 'nobody' }, 'vendor'],
      [{ protocol: 'smoke-signals' }, 'protocol'],
      [{ baseUrl: 'ftp://x' }, 'baseUrl'],
      [{ baseUrl: 'https://user:pass@x' }, 'baseUrl'],
      [{ concurrencyMax: 0 }, 'concurrencyMax'],
      [{ timeouts: { connectMs: -1 } }, 'timeouts.connectMs'],
      [{ timeouts: { lunchMs: 1 } }, 'timeouts'],
      [{ ca: 'no certificate' }, 'ca'],
      [{ probe: { everyMs: 1 } }, 'probe.everyMs'],
      [{ parameters: { drop: ['model'] } }, 'parameters.drop'],
      [
        { parameters: { headers: { authorization: 'Bearer mine' } } },
        'parameters.headers.authorization',
      ],
      [{ parameters: { dorp: ['seed'] } }, 'parameters'],
      [{ wieght: 1 }, 'body'],
      [{ proxy: 'proxy:3128' }, 'proxy'],
    ]
    for (const [change, field] of wrong) {
      test(`is not edited to ${JSON.stringify(change)}`, async () => {
        const before = await snapshot()
        const [status, code, where] = await refusal('PATCH', pathOf('one'), change)
        expect([[400, 422].includes(Number(status)), where]).toEqual([true, field])
        expect(code).toBe(status === 400 ? 'invalid_request' : 'unprocessable')
        expect(await snapshot()).toEqual(before)
      })
    }

    test('of a vendor without a base URL needs one, and an id is used once', async () => {
      const make = (more: object) =>
        refusal('POST', '/operate/upstreams', { id: 'x', ...settings, ...more })
      expect(await make({ baseUrl: null })).toEqual([422, 'unprocessable', 'baseUrl'])
      expect(await make({ id: 'one' })).toEqual([409, 'conflict', 'id'])
      expect(await make({ id: 'no spaces' })).toEqual([400, 'invalid_request', 'id'])
      expect((await snapshot()).upstreams.has('x')).toBe(false)
    })
  })

  test('vendors are listed with their known models', async () => {
    const { vendors } = await get<VendorsAnswer>('/operate/vendors')
    expect(vendors.find(({ name }) => name === 'openai')).toMatchObject({ hasStartModels: true })
    const { models } = await get<StartModelsAnswer>('/operate/vendors/openai/models')
    expect(models.length).toBeGreaterThan(5)
    expect(models[0]).toMatchObject({ ownedBy: 'openai', isKnown: false })
    expect((await refusal('GET', '/operate/vendors/nobody/models'))[0]).toBe(404)
  })

  describe('a model', () => {
    const model = {
      displayName: 'GPT Z',
      ownedBy: 'us',
      contextTokens: null,
      maxOutputTokens: 4_096,
    }

    test('is created without a price, and is then listed as a gap', async () => {
      const made = await send<ModelDetail>('POST', '/operate/models', { id: 'gpt-z', ...model })
      expect(made).toMatchObject({ ...model, price: null, versions: [], routeCount: 0 })
      const gaps = await get<ModelGaps>('/operate/model-gaps')
      expect(gaps.unrouted).toContain('gpt-z')
      expect(gaps.unrouted).not.toContain('gpt-x')
      expect(gaps.missed).toMatchObject([{ model: 'gpt-unknown', requests: 13 }])
      const lacking = await get<ModelsAnswer>('/operate/models?lacks=price')
      expect(lacking.models.map(({ id }) => id)).toEqual(['gpt-z'])
    })

    test('gets versions of its price, one after the other, never in the past', async () => {
      await send('POST', '/operate/models', { id: 'gpt-priced', ...model })
      const path = '/operate/models/gpt-priced/prices'
      await send('POST', path, { price })
      const later = fixture.nowMs() + 3_600_000
      const dearer = { ...price, outputNano: '9000000000' }
      const planned = await send<ModelDetail>('POST', path, { price: dearer, validFrom: later })
      expect(planned.versions.map(({ state }) => state)).toEqual(['planned', 'in-force'])
      expect(planned.price).toMatchObject(price)
      const field = [409, 'unfit', 'validFrom']
      expect(await refusal('POST', path, { price, validFrom: fixture.nowMs() - 1 })).toEqual(field)
      expect(await refusal('POST', path, { price, validFrom: later - 1 })).toEqual(field)
      expect(await refusal('POST', path, { price })).toEqual(field)
      const half = { ...price, outputNano: '0.5' }
      expect(await refusal('POST', path, { price: half })).toEqual([
        400,
        'invalid_request',
        'price.outputNano',
      ])
      fixture.passTime(3_600_001)
      const now = await get<ModelDetail>('/operate/models/gpt-priced')
      fixture.passTime(-3_600_001)
      expect(now.versions.map(({ state }) => state)).toEqual(['in-force', 'past'])
      expect(now.price).toMatchObject(dearer)
    })

    test('has feature prices: list prices, given prices, and none', async () => {
      const id = 'gpt-featured'
      const made = await send<ModelDetail>('POST', '/operate/models', { id, ...model, price })
      expect(made.price?.features).toMatchObject({ webSearch: '10000000', priorityTier: '2000000' })
      const path = `/operate/models/${id}/prices`
      const set = { ...price, features: { webSearch: '7', priorityTier: null, audioInput: '9' } }
      const detail = await send<ModelDetail>('POST', path, { price: set })
      const features = detail.versions[0]?.price.features
      expect(features).toMatchObject({ webSearch: '7', audioInput: '9', mcp: '0' })
      expect(features).not.toHaveProperty('priorityTier')
      const wrong = async (one: object) =>
        refusal('POST', path, { price: { ...price, features: one } })
      const place = 'price.features.webSearch'
      expect(await wrong({ webSearch: '-1' })).toEqual([400, 'invalid_request', place])
      expect(await wrong({ webSearch: '1'.repeat(16) })).toEqual([400, 'invalid_request', place])
      expect(await wrong({ nothing: '1' })).toEqual([400, 'invalid_request', 'price.features'])
    })

    test('is edited, and deleted only while nothing refers to it', async () => {
      const path = '/operate/models/gpt-edited'
      await send('POST', '/operate/models', { id: 'gpt-edited', ...model, price })
      const edited = await send<ModelDetail>('PATCH', path, {
        contextTokens: 200_000,
      })
      expect(edited).toMatchObject({ ...model, contextTokens: 200_000 })
      expect(await refusal('DELETE', path)).toEqual([409, 'in_use', undefined])
      expect(await refusal('DELETE', '/operate/models/gpt-x')).toEqual([409, 'in_use', undefined])
      await send('POST', '/operate/models', { id: 'slip', ...model })
      await send('DELETE', '/operate/models/slip')
      expect((await refusal('GET', '/operate/models/slip'))[0]).toBe(404)
    })
  })

  describe('routes', () => {
    const route = {
      group: 'default',
      model: 'gpt-x',
      upstream: 'one',
      upstreamModel: 'gpt-x',
      priority: 1,
      weight: 3,
      parameters: null,
    }
    const place = '/operate/routes?group=default&model=gpt-x'

    test('of a model are reordered', async () => {
      await makeUpstream('first/1')
      const first = { ...route, upstream: 'first/1', priority: 0, weight: 1 }
      const put = await send<RoutesAnswer>('PUT', place, { routes: [first, route] })
      expect(put.routes).toEqual([first, route])
      const routes = (await snapshot()).routes.get('default')?.get('gpt-x')
      expect(routes?.map(({ upstream }) => upstream.id)).toEqual(['first/1', 'one'])
      const own = await get<RoutesAnswer>('/operate/routes?upstream=first%2F1')
      expect(own.routes).toEqual([first])
    })

    test('that are invalid are refused, and the existing ones stay', async () => {
      const before = await get<RoutesAnswer>('/operate/routes')
      const attempts = [
        [place, [{ ...route, upstream: 'nowhere' }]],
        [place, [{ ...route, model: 'gpt-z' }]],
        [place, [route, route]],
        [place, [{ ...route, weight: -1 }]],
        [place, [{ ...route, priority: -1 }]],
        ['/operate/routes?group=default', [route]],
        ['/operate/routes', []],
      ] as const
      for (const [path, routes] of attempts) {
        expect([400, 409, 422]).toContain(Number((await refusal('PUT', path, { routes }))[0]))
      }
      expect(await get<RoutesAnswer>('/operate/routes')).toEqual(before)
    })

    test('are deleted with their upstream', async () => {
      await makeUpstream('gone/1')
      await send('PUT', place, { routes: [{ ...route, upstream: 'gone/1' }, route] })
      await send('DELETE', pathOf('gone/1'))
      const { routes } = await get<RoutesAnswer>('/operate/routes')
      expect(routes).toEqual([route])
    })
  })

  describe('a group', () => {
    test('is created for some accounts, opened to all, and deleted when nothing uses it', async () => {
      const until = fixture.nowMs() + 86_400_000
      const made = await send<GroupRow>('POST', '/operate/groups', {
        id: 'premium',
        factor: '1.25',
        unsupported: 'reject',
        grants: [{ accountId: 'acme', until }],
        fallbacks: { 'gpt-x': ['gpt-z'] },
      })
      expect(made).toMatchObject({
        factor: '1.25',
        unsupported: 'reject',
        grants: [{ accountId: 'acme', accountName: 'Acme Robotics', until }],
        fallbacks: { 'gpt-x': ['gpt-z'] },
      })
      const group = (await snapshot()).groups.get('premium')
      expect(group?.grants).toEqual(new Map([['acme', until]]))
      expect(group).toMatchObject({ factorMicro: 1_250_000n, isStrict: true })
      const open = await send<GroupRow>('PATCH', '/operate/groups/premium', { grants: null })
      expect(open).toMatchObject({ grants: null, factor: '1.25', unsupported: 'reject' })
      expect(open).toMatchObject({ unpricedFeatures: 'refuse', sharedObjects: 'refuse' })
      const requested = { unpricedFeatures: 'token_price', sharedObjects: 'allow' }
      expect(await send<GroupRow>('PATCH', '/operate/groups/premium', requested)).toMatchObject(
        requested,
      )
      const allowed = { allowsUnpriced: true, allowsSharedObjects: true }
      expect((await snapshot()).groups.get('premium')).toMatchObject(allowed)
      expect(await refusal('DELETE', '/operate/groups/premium')).toEqual([409, 'in_use', undefined])
      await send('PATCH', '/keys/key_a2', { groups: ['default'] })
      await send('DELETE', '/operate/groups/premium')
      expect((await snapshot()).groups.has('premium')).toBe(false)
      expect((await refusal('DELETE', '/operate/groups/default'))[1]).toBe('in_use')
    })

    test('has a factor, and grants only for existing accounts', async () => {
      const edit = (body: object) => refusal('PATCH', '/operate/groups/default', body)
      expect(await edit({ factor: '1,5' })).toEqual([400, 'invalid_request', 'factor'])
      const grants = [{ accountId: 'nobody', until: null }]
      expect(await edit({ grants })).toEqual([409, 'unfit', 'grants'])
    })
  })
}
