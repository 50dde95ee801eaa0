import { describe, expect, test } from 'bun:test'
import { startCatalogue } from '../../../src/catalog/start-catalogue.ts'
import { startModels } from '../../../src/catalog/start-models.ts'
import { vendors } from '../../../src/vendors/index.ts'

/** Models that are listed before the price package knows their price, each with the reason. */
const withoutPrice: Readonly<Record<string, string>> = {}

const nowMs = Date.parse('2026-11-16T00:00:00Z')
const hosts: Readonly<Record<string, string>> = { deepseek: 'https://api.deepseek.com' }

const listed = Object.entries(startModels).flatMap(([provider, models]) =>
  Object.entries(models).map(([id, outputTokensMax]) => ({ provider, id, outputTokensMax })),
)

/** The catalogue omits a model without a price, so an operator would not see that a model is missing. */
describe('every model of the initial catalogue', () => {
  test.each(listed)('$provider: $id has a price and an output limit', async (row) => {
    const catalogue = await startCatalogue(row.provider, nowMs, hosts[row.provider])
    const found = catalogue.find(({ model }) => model.id === row.id)
    if (row.id in withoutPrice) {
      expect(found).toBeUndefined()
      return
    }
    expect(found?.price.inputNano).toBeGreaterThan(0n)
    expect(found?.price.outputNano).toBeGreaterThan(0n)
    expect(found?.model.maxOutputTokens).toBe(row.outputTokensMax)
  })

  test('each exception is a listed model', () => {
    const ids = new Set(listed.map(({ id }) => id))
    expect(Object.keys(withoutPrice).filter((id) => !ids.has(id))).toEqual([])
  })

  test.each(Object.keys(startModels))('%s is a vendor, or has its own host', (provider) => {
    expect(vendors.has(provider) || provider in hosts).toBe(true)
  })
})
