import { describe, expect, test } from 'bun:test'
import { sql } from 'kysely'
import { addPriceVersion } from '../../../src/catalog/add-price-version.ts'
import { putModel, putPrice } from '../../../src/catalog/catalog-store.ts'
import type { PriceSettings } from '../../../src/catalog/definition/price.ts'
import { listFeaturePrices } from '../../../src/catalog/feature-list-prices.ts'
import { fillFeaturePrices } from '../../../src/catalog/fill-feature-prices.ts'
import { putGroup } from '../../../src/catalog/group-store.ts'
import { readCatalog } from '../../../src/catalog/read-catalog.ts'
import { newRequestId } from '../../../src/core/id.ts'
import { costOf } from '../../../src/core/money/price.ts'
import { noUsage } from '../../../src/core/money/usage.ts'
import { auditLedger } from '../../../src/ledger/audit/audit-ledger.ts'
import { settleFeaturesShape, settleRecord } from '../../../src/ledger/journal/settle-record.ts'
import { type Writing, write } from '../../../src/store/changes/write.ts'
import type { Engine } from '../../../src/store/engine.ts'
import { priceOfRow } from '../../../src/store/rows/price-row.ts'
import { createVault } from '../../../src/store/secrets/vault.ts'
import { sharedFixtures } from '../../support/store/engine-fixture.ts'
import { nowMs, openShop } from '../audit/audit-helpers.ts'

const vault = createVault(Buffer.alloc(32, 7))
const tools = {
  vault,
  random: (count: number) => crypto.getRandomValues(new Uint8Array(count)),
  nowMs: () => nowMs,
}
const plain: PriceSettings = {
  inputNano: 1n,
  cacheReadNano: 1n,
  cacheWrite5mNano: 1n,
  cacheWrite1hNano: 1n,
  outputNano: 1n,
  requestNano: 0n,
}

describe.each(sharedFixtures('feature prices'))('feature prices on $kind', (fixture) => {
  const run = <T>(engine: Engine, work: (writing: Writing) => Promise<T>) =>
    write(engine, nowMs, work)

  async function withModel(id: string): Promise<Engine> {
    const engine = await fixture.openMigrated()
    const model = { displayName: id, ownedBy: '', contextTokens: null, maxOutputTokens: 9 }
    await run(engine, (w) => putModel(w, tools, { id, ...model }))
    return engine
  }

  async function featuresOf(engine: Engine, id: string) {
    const catalog = await readCatalog(engine, vault, undefined)
    return catalog.models.get(id)?.prices.at(-1)?.features
  }

  test('a model without its own feature prices gets the list prices', async () => {
    const engine = await withModel('claude-opus-5')
    await run(engine, (w) => putPrice(w, tools, 'claude-opus-5', plain))
    const features = await featuresOf(engine, 'claude-opus-5')
    expect(features).toEqual(listFeaturePrices('claude-opus-5'))
    expect(features).toMatchObject({ webSearch: 10_000_000n, fastMode: 6_000_000n, mcp: 0n })
    expect(features?.priorityTier).toBeUndefined()
  })

  test('a given price replaces the list price, null removes it, and the same price changes nothing', async () => {
    const engine = await withModel('gpt-5')
    const price = { ...plain, features: { webSearch: 7n, imageGeneration: null } }
    const put = () => run(engine, (w) => putPrice(w, tools, 'gpt-5', price))
    expect([await put(), await put()]).toEqual(['created', 'same'])
    const features = await featuresOf(engine, 'gpt-5')
    expect(features).toMatchObject({ webSearch: 7n, priorityTier: 2_000_000n })
    expect(features?.imageGeneration).toBeUndefined()
    // A file without features keeps them; other prices become a new version with the same features.
    expect(await run(engine, (w) => putPrice(w, tools, 'gpt-5', plain))).toBe('same')
    const dearer = { ...plain, outputNano: 2n }
    const later = { ...tools, nowMs: () => nowMs + 1 }
    const version = { modelId: 'gpt-5', price: dearer, validFromMs: null }
    expect(await run(engine, (w) => addPriceVersion(w, later, version))).toBe(nowMs + 1)
    expect(await featuresOf(engine, 'gpt-5')).toEqual(features)
  })

  test('older versions are filled in once, and prices that were set stay', async () => {
    const engine = await withModel('gemini-3-pro')
    await run(engine, (w) => putPrice(w, tools, 'gemini-3-pro', plain))
    await sql`UPDATE price_version SET features = NULL`.execute(engine.db)
    expect(await featuresOf(engine, 'gemini-3-pro')).toEqual({})
    expect(await run(engine, fillFeaturePrices)).toBe(1)
    expect(await featuresOf(engine, 'gemini-3-pro')).toEqual(listFeaturePrices('gemini-3-pro'))
    expect(await run(engine, fillFeaturePrices)).toBe(0)
  })

  test('by default a group rejects unpriced features and shared objects', async () => {
    const engine = await fixture.openMigrated()
    const group = { id: 'g', factorMicro: 1n }
    const put = (own: object) => run(engine, (w) => putGroup(w, tools, { ...group, ...own }))
    const read = async () => {
      const found = (await readCatalog(engine, vault, undefined)).groups.get('g')
      return [found?.allowsUnpriced, found?.allowsSharedObjects]
    }
    expect([await put({}), await read()]).toEqual(['created', [false, false]])
    const open = { unpricedFeatures: 'token_price', sharedObjects: 'allow' }
    expect([await put(open), await read()]).toEqual(['changed', [true, true]])
    expect([await put({}), await read()]).toEqual(['same', [true, true]])
  })

  test('the audit prices an entry again with its features and finds a difference of one nano', async () => {
    const engine = await fixture.openMigrated()
    await openShop(engine)
    await engine.defineShapes([settleFeaturesShape])
    const features = '{"webSearch":10000000,"priorityTier":1750000,"audioInput":40000000000}'
    await sql`UPDATE price_version SET features = ${features}`.execute(engine.db)
    const row = await engine.db.selectFrom('price_version').selectAll().executeTakeFirstOrThrow()
    const uses = { webSearch: 3, priorityTier: 1, audioInput: 5 }
    const usage = { ...noUsage, input: 11, output: 3, features: uses }
    const costNano = costOf(usage, priceOfRow(row), 1_500_000n)
    const requestId = newRequestId(nowMs)
    const request = { requestId, accountId: 'a', keyId: 'k', leaseId: 'open' }
    const settlement = {
      costNano,
      usage,
      usageSource: 'upstream',
      priceVersionId: row.id,
      factorMicro: 1_500_000n,
      flags: [],
    } as const
    const record = JSON.stringify([settleRecord(request, settlement)])
    // Applied twice: the second time changes nothing.
    await engine.applyRecords([record, record])
    const wrong = async () => (await auditLedger(engine, nowMs + 1)).map((check) => check.wrong)
    expect(await wrong()).toEqual([0, 0, 0])
    await sql`UPDATE entry SET features = ${'{"webSearch":4,"priorityTier":1,"audioInput":5}'}
      WHERE request_id = ${requestId}`.execute(engine.db)
    expect(await wrong()).toEqual([0, 0, 1])
  })
})
