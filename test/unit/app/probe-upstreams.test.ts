import { expect, test } from 'bun:test'
import { probeUpstreams } from '../../../src/app/upstreams/probe-upstreams.ts'
import type { CatalogSnapshot, Upstream } from '../../../src/catalog/catalog-snapshot.ts'
import type { Outgoing } from '../../../src/http-out/outgoing-http.ts'
import type { UpstreamResponse } from '../../../src/http-out/reply.ts'
import { eventually } from '../../support/eventually.ts'
import { buildCatalog } from '../routing/build-catalog.ts'

const probe = { everyMs: 1_000, model: undefined }

const reply = (status: number): UpstreamResponse => ({
  status,
  headers: new Headers(),
  body: {
    read: async () => undefined,
    readWhole: async () => new Uint8Array(),
    cancel: () => undefined,
  },
})

/** Probes of these upstreams on the test's own clock, which each check advances. */
function openFixture(
  own: Record<string, Partial<Upstream>>,
  respond: (asked: Outgoing) => Promise<UpstreamResponse>,
) {
  const routes = Object.entries(own).map(([upstream, each]) => ({ upstream, own: each }))
  let snapshot: CatalogSnapshot = buildCatalog({ routes })
  const asked: Outgoing[] = []
  const told: [string, boolean][] = []
  let nowMs = 0
  const { stop } = probeUpstreams({
    catalog: { snapshot: () => snapshot, apply: async () => undefined },
    send: (outgoing) => {
      asked.push(outgoing)
      return respond(outgoing)
    },
    sink: { probed: (id, isHealthy) => void told.push([id, isHealthy]) },
    monotonicMs: () => {
      nowMs += 100
      return nowMs
    },
    random: () => 0.5,
    lookEveryMs: 1,
  })
  const change = (words: Record<string, Partial<Upstream>>) => {
    const list = Object.entries(words).map(([upstream, each]) => ({ upstream, own: each }))
    snapshot = buildCatalog({ routes: list })
  }
  return { asked, told, stop, change }
}

test('upstreams with a probe are probed repeatedly, the others never', async () => {
  const { asked, told, stop } = openFixture(
    {
      probed: { probe },
      quiet: {},
      off: { probe, isEnabled: false },
      moved: { probe, needsCredential: true, credentials: [] },
    },
    async () => reply(200),
  )
  await eventually('three probes', () => told.length >= 3)
  await stop()
  expect(new Set(told.map(([id]) => id))).toEqual(new Set(['probed']))
  expect(told.every(([, isHealthy]) => isHealthy)).toBe(true)
  expect(asked[0]).toMatchObject({ method: 'GET', url: 'http://probed.invalid/models' })
  expect(asked[0]?.headers.get('authorization')).toBe('Bearer secret of only')
})

test('a refusal counts as an answer, a failure and a 5xx do not', async () => {
  const statuses: Record<string, number> = {
    fine: 200,
    refusing: 401,
    lost: 404,
    busy: 429,
    ill: 503,
  }
  const upstreams = Object.fromEntries(
    [...Object.keys(statuses), 'gone'].map((id) => [id, { probe }]),
  )
  const { told, stop } = openFixture(upstreams, async ({ url }) => {
    const status = statuses[new URL(url).hostname.split('.')[0] ?? '']
    if (status === undefined) throw new Error('refused')
    return reply(status)
  })
  await eventually('one probe of each', () => new Set(told.map(([id]) => id)).size === 6)
  await stop()
  const wells = new Map(told)
  expect(Object.fromEntries(wells)).toEqual({
    fine: true,
    refusing: true,
    lost: true,
    busy: true,
    ill: false,
    gone: false,
  })
})

test('a named model is probed with one token, under the upstream’s name', async () => {
  const { asked, told, stop } = openFixture(
    { one: { probe: { everyMs: 1_000, model: 'm' } } },
    async () => reply(200),
  )
  await eventually('a probe', () => told.length > 0)
  await stop()
  expect(asked[0]?.url).toBe('http://one.invalid/chat/completions')
  expect(JSON.parse(String(asked[0]?.body))).toMatchObject({ model: 'm', max_tokens: 1 })
})

test('an upstream that does not answer gets one probe at a time, and others do not wait for it', async () => {
  const { asked, told, stop } = openFixture(
    { slow: { probe } },
    ({ stop }) =>
      new Promise((_, reject) => {
        stop.onStop = () => reject(new Error('stopped'))
      }),
  )
  await eventually('a probe', () => asked.length > 0)
  const marker = openFixture({ other: { probe } }, async () => reply(200))
  await eventually('the others were probed', () => marker.told.length > 2)
  await marker.stop()
  expect(asked).toHaveLength(1)
  await stop()
  expect(told).toEqual([])
})

test('a change of the catalogue is followed', async () => {
  const { asked, told, stop, change } = openFixture({ one: { probe } }, async () => reply(200))
  await eventually('a probe', () => told.length > 0)
  change({ two: { probe } })
  const before = asked.length
  await eventually('a probe of the other', () => told.some(([id]) => id === 'two'))
  await stop()
  expect(asked.slice(before).filter(({ url }) => url.includes('one')).length).toBeLessThan(2)
})
