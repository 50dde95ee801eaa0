import { describe, expect, test } from 'bun:test'
import { openCatalogDirectory } from '../../../src/catalog/catalog-directory.ts'
import { priceAt } from '../../../src/catalog/catalog-snapshot.ts'
import { putModel, putPrice } from '../../../src/catalog/catalog-store.ts'
import type { PriceSettings } from '../../../src/catalog/definition/price.ts'
import { extendRoutes } from '../../../src/catalog/extend-routes.ts'
import { putGroup } from '../../../src/catalog/group-store.ts'
import { type OwnRoute, putRoutes } from '../../../src/catalog/route-store.ts'
import { putUpstream } from '../../../src/catalog/upstream-store.ts'
import { timeoutsByDefault } from '../../../src/core/upstreams/upstream-timeouts.ts'
import { type Writing, write } from '../../../src/store/changes/write.ts'
import type { Engine } from '../../../src/store/engine.ts'
import { sharedFixtures } from '../../support/store/engine-fixture.ts'
import { changesBy, nowMs, tools } from '../../support/store/row-helpers.ts'

const model = {
  id: 'gpt-x',
  displayName: 'X',
  ownedBy: 'me',
  contextTokens: null,
  maxOutputTokens: 4096,
}
const price: PriceSettings = {
  inputNano: 2_500_000_000n,
  cacheReadNano: 1_250_000_000n,
  cacheWrite5mNano: 2_500_000_000n,
  cacheWrite1hNano: 2_500_000_000n,
  outputNano: 2n ** 62n,
  requestNano: 0n,
}
const upstream = {
  id: 'one',
  vendor: 'openai-compatible',
  protocol: 'chat-completions',
  baseUrl: 'http://127.0.0.1:9/v1',
  credentials: [{ name: 'first', value: 'up-secret' }],
}
const route: OwnRoute = {
  group: 'default',
  model: 'gpt-x',
  upstreamModel: 'theirs',
  priority: 0,
  weight: 1,
}

async function prepare(engine: Engine): Promise<void> {
  await write(engine, nowMs, async (writing) => {
    for (const id of ['default', 'premium'])
      await putGroup(writing, tools, { id, factor: 1_500_000n })
    for (const id of ['gpt-x', 'gpt-y']) await putModel(writing, tools, { ...model, id })
    await putUpstream(writing, tools, upstream)
  })
}

describe.each(sharedFixtures('catalogue'))('catalogue on $kind', (fixture) => {
  const run = <T>(engine: Engine, work: (writing: Writing) => Promise<T>) =>
    write(engine, nowMs, work)

  const puts: [string, (writing: Writing, isOther: boolean) => Promise<string>][] = [
    ['group', (w, other) => putGroup(w, tools, { id: 'g', factor: other ? 2n : 1_500_000n })],
    ['model', (w, other) => putModel(w, tools, { ...model, id: 'm', displayName: `${other}` })],
    [
      'context of a model',
      (w, other) => putModel(w, tools, { ...model, id: 'm', contextTokens: other ? 9 : null }),
    ],
    [
      'upstream',
      (w, other) =>
        putUpstream(w, tools, { ...upstream, id: 'u', baseUrl: other ? 'http://b' : 'http://a' }),
    ],
    [
      'credential of an upstream',
      (w, other) =>
        putUpstream(w, tools, {
          ...upstream,
          id: 'u',
          credentials: other ? [] : [{ name: 'first', value: 'secret' }],
        }),
    ],
    [
      'price',
      (w, other) => putPrice(w, tools, 'gpt-x', { ...price, outputNano: other ? 1n : 2n ** 62n }),
    ],
    ['routes', (w, other) => putRoutes(w, 'one', [{ ...route, weight: other ? 2 : 1 }])],
  ]
  test.each(puts)('%s: created, unchanged, changed; only changes are announced', async (_, put) => {
    const engine = await fixture.openMigrated()
    await prepare(engine)
    const results: string[] = []
    for (const isOther of [false, false, true, true, false]) {
      const changes = await changesBy(engine, async (writing) => {
        results.push(await put(writing, isOther))
      })
      expect(changes.map((change) => change.topic)).toEqual(
        results.at(-1) === 'same' ? [] : ['catalog'],
      )
    }
    expect(results).toEqual(['created', 'same', 'changed', 'same', 'changed'])
  })

  test('a price is never edited: each change adds a version that starts now', async () => {
    const engine = await fixture.openMigrated()
    await prepare(engine)
    let now = 1_000
    const clocked = { ...tools, nowMs: () => now }
    const put = (outputNano: bigint) =>
      run(engine, (w) => putPrice(w, clocked, 'gpt-x', { ...price, outputNano }))
    await put(1n)
    const [first] = await engine.db.selectFrom('price_version').selectAll().execute()
    await put(2n)
    now = 5_000
    await put(3n)
    const rows = await engine.db
      .selectFrom('price_version')
      .selectAll()
      .orderBy('valid_from')
      .execute()
    expect(rows.map((row) => [row.valid_from, row.output_nano])).toEqual([
      [0, 1n],
      [1_000, 2n],
      [5_000, 3n],
    ])
    expect(rows[0]).toEqual(first)
    const { snapshot } = await openCatalogDirectory(engine, tools.vault, undefined)
    const read = snapshot().models.get('gpt-x')
    const priceIn = (at: number) => (read ? priceAt(read, at)?.outputNano : undefined)
    expect([0, 999, 1_000, 4_999, 5_000, 9_999].map(priceIn)).toEqual([1n, 1n, 2n, 2n, 3n, 3n])
  })

  test('an upstream gets exactly the given routes; routes of other upstreams stay', async () => {
    const engine = await fixture.openMigrated()
    await prepare(engine)
    const routes = async () => {
      const query = engine.db.selectFrom('route').select(['upstream_id', 'group_id', 'model_id'])
      return (await query.execute()).map((row) => Object.values(row).join(' ')).sort()
    }
    await run(engine, async (writing) => {
      await putUpstream(writing, tools, { ...upstream, id: 'two' })
      await putRoutes(writing, 'two', [route])
      await putRoutes(writing, 'one', [route, { ...route, group: 'premium' }])
      await putRoutes(writing, 'one', [{ ...route, model: 'gpt-y' }])
    })
    expect(await routes()).toEqual(['one default gpt-y', 'two default gpt-x'])
    await run(engine, (writing) => putRoutes(writing, 'one', []))
    expect(await routes()).toEqual(['two default gpt-x'])
    expect(await run(engine, (writing) => putRoutes(writing, 'one', []))).toBe('same')
  })

  test('adding routes does not change existing ones', async () => {
    const engine = await fixture.openMigrated()
    await prepare(engine)
    await run(engine, async (writing) => {
      await putRoutes(writing, 'one', [{ ...route, weight: 7 }])
      await extendRoutes(writing, 'one', [route, { ...route, model: 'gpt-y' }])
      await extendRoutes(writing, 'one', [])
    })
    const rows = await engine.db
      .selectFrom('route')
      .select(['model_id', 'weight'])
      .orderBy('model_id')
      .execute()
    expect(rows).toEqual([
      { model_id: 'gpt-x', weight: 7 },
      { model_id: 'gpt-y', weight: 1 },
    ])
  })

  test('the snapshot is complete and immutable; a change replaces it', async () => {
    const engine = await fixture.openMigrated()
    await prepare(engine)
    await run(engine, async (writing) => {
      await putPrice(writing, tools, 'gpt-x', price)
      await putRoutes(writing, 'one', [route])
    })
    const directory = await openCatalogDirectory(engine, tools.vault, undefined)
    const before = directory.snapshot()
    expect(before.groups.get('default')).toEqual({
      id: 'default',
      factorMicro: 1_500_000n,
      isStrict: false,
      priority: 'normal',
      allowsUnpriced: false,
      allowsSharedObjects: false,
      grants: undefined,
      fallbacks: new Map(),
    })
    expect(before.models.get('gpt-x')?.prices[0]).toMatchObject(price)
    expect(before.models.get('gpt-y')?.prices).toEqual([])
    const { credentials: _, ...place } = upstream
    expect(before.routes.get('default')?.get('gpt-x')).toEqual([
      {
        groupId: route.group,
        modelId: route.model,
        upstreamModel: route.upstreamModel,
        priority: 0,
        weight: 1,
        parameters: undefined,
        upstream: {
          ...place,
          credentials: [{ id: expect.any(String), name: 'first', value: 'up-secret', hint: '...' }],
          needsCredential: false,
          timeouts: timeoutsByDefault,
          concurrencyMax: undefined,
          connection: { proxy: undefined, ca: undefined, allowsPrivate: false },
          probe: undefined,
          isEnabled: true,
        },
      },
    ])
    expect(before.upstreams.get('one')).toBe(
      before.routes.get('default')?.get('gpt-x')?.[0]?.upstream,
    )
    const changes = await changesBy(engine, (writing) => putRoutes(writing, 'one', []))
    await directory.apply([{ seq: 1, topic: 'key', subject: 'one' }])
    expect(directory.snapshot()).toBe(before)
    await directory.apply(changes)
    expect(directory.snapshot().routes.get('default')?.get('gpt-x')).toBeUndefined()
    expect(before.routes.get('default')?.get('gpt-x')).toHaveLength(1)
  })

  test('the demo upstream has the address of this process, and no address without the demo', async () => {
    const engine = await fixture.openMigrated()
    await prepare(engine)
    await run(engine, async (writing) => {
      await putUpstream(writing, tools, { ...upstream, baseUrl: 'demo:' })
      await putRoutes(writing, 'one', [route])
    })
    const routesWith = async (demoBaseUrl: string | undefined) => {
      const { snapshot } = await openCatalogDirectory(engine, tools.vault, demoBaseUrl)
      return snapshot().routes.get('default')?.get('gpt-x') ?? []
    }
    expect(await routesWith(undefined)).toEqual([])
    const [found] = await routesWith('http://127.0.0.1:5')
    expect(found?.upstream.baseUrl).toBe('http://127.0.0.1:5')
  })
})
