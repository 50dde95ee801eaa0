import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { startCatalogue } from '../../../src/catalog/start-catalogue.ts'
import { costOf, costOfTokens, type Price } from '../../../src/core/money/price.ts'
import { noUsage, promptOf } from '../../../src/core/money/usage.ts'
import { priceOfRow, tiersText } from '../../../src/store/rows/price-row.ts'
import { repeats } from '../../support/repeats.ts'

/** Beyond 200,000 tokens input costs twice as much and output half as much again, as at two vendors. */
const base: Price = {
  versionId: 'v',
  inputNano: 1_250_000_000n,
  cacheReadNano: 125_000_000n,
  cacheWrite5mNano: 1_250_000_000n,
  cacheWrite1hNano: 1_250_000_000n,
  outputNano: 10_000_000_000n,
  requestNano: 0n,
}
const long = {
  aboveTokens: 200_000,
  inputNano: 2_500_000_000n,
  cacheReadNano: 250_000_000n,
  cacheWrite5mNano: 2_500_000_000n,
  cacheWrite1hNano: 2_500_000_000n,
  outputNano: 15_000_000_000n,
}
const tiered: Price = { ...base, tiers: [long] }
const one = 1_000_000n

test.each([
  ['exactly at the tier', { input: 200_000, output: 1_000 }, 260_000_000n],
  [
    'one token above the tier: all tokens cost more',
    { input: 200_001, output: 1_000 },
    515_002_500n,
  ],
  ['cached tokens count as well', { input: 1, cacheRead: 200_000, output: 0 }, 50_002_500n],
] as const)('%s', (_, used, nano) => {
  expect(costOf({ ...noUsage, ...used }, tiered, one)).toBe(nano)
})

test('a version without tiers has its base cost, and so has one below its first tier', () => {
  const usage = { ...noUsage, input: 900_000, output: 10 }
  expect(costOf(usage, { ...base, tiers: undefined }, one)).toBe(costOf(usage, base, one))
  const short = { ...noUsage, input: 5, output: 10 }
  expect(costOf(short, tiered, one)).toBe(costOf(short, base, one))
})

const nano = fc.bigInt({ min: 0n, max: 100_000_000_000n })
const rates = fc.record({
  inputNano: nano,
  cacheReadNano: nano,
  cacheWrite5mNano: nano,
  cacheWrite1hNano: nano,
  outputNano: nano,
})

test('the hold is never less than the cost of a prompt within its bound, whatever the tiers', () => {
  fc.assert(
    fc.property(
      rates,
      fc.uniqueArray(fc.tuple(fc.nat({ max: 1_000 }), rates), { selector: ([above]) => above }),
      fc.nat({ max: 1_500 }),
      fc.nat({ max: 1_500 }),
      fc.nat({ max: 1_000 }),
      (plain, steps, bound, used, output) => {
        const tiers = steps
          .map(([aboveTokens, rate]) => ({ aboveTokens, ...rate }))
          .toSorted((left, right) => left.aboveTokens - right.aboveTokens)
        const price = { versionId: 'v', requestNano: 3n, ...plain, tiers }
        const input = Math.min(used, bound)
        const usage = { ...noUsage, input, output }
        expect(promptOf(usage)).toBeLessThanOrEqual(bound)
        const held = costOfTokens(price, 1_500_000n, bound, output)
        expect(held >= costOf(usage, price, 1_500_000n)).toBe(true)
      },
    ),
    { numRuns: repeats(1_000) },
  )
})

test('a version returns its tiers as they were written', () => {
  const row = {
    id: 'v',
    model_id: 'm',
    valid_from: 0,
    input_nano: base.inputNano,
    cache_read_nano: base.cacheReadNano,
    cache_write_5m_nano: base.cacheWrite5mNano,
    cache_write_1h_nano: base.cacheWrite1hNano,
    output_nano: base.outputNano,
    request_nano: 0n,
    features: null,
    tiers: tiersText([long]),
  }
  expect(priceOfRow(row).tiers).toEqual([long])
  expect(priceOfRow({ ...row, tiers: null }).tiers).toBeUndefined()
})

test('the initial catalogue has the tiers of its vendors', async () => {
  const google = await startCatalogue('google', Date.parse('2026-01-01T00:00:00Z'))
  const pro = google.find(({ model }) => model.id === 'gemini-2.5-pro')
  expect(pro?.price.longPrompts).toEqual([long])
})
