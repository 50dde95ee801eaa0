import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import {
  type FeatureName,
  type FeaturePrices,
  type FeatureUses,
  featureNames,
  unitOf,
} from '../../../src/core/money/feature.ts'
import { costOf, costOfTokens, type Price } from '../../../src/core/money/price.ts'
import { noUsage, type TokenUsage } from '../../../src/core/money/usage.ts'
import { repeats } from '../../support/repeats.ts'

/** One dollar for a million tokens in, ten out. */
const price: Price = {
  versionId: 'v',
  inputNano: 1_000_000_000n,
  cacheReadNano: 100_000_000n,
  cacheWrite5mNano: 1_250_000_000n,
  cacheWrite1hNano: 2_000_000_000n,
  outputNano: 10_000_000_000n,
  requestNano: 7n,
}

const rows: [string, Partial<TokenUsage>, FeatureUses, FeaturePrices, bigint][] = [
  ['a call', {}, { webSearch: 3 }, { webSearch: 10_000_000n }, 30_000_007n],
  ['a free call', {}, { mcp: 3 }, { mcp: 0n }, 7n],
  ['a call without a price', { input: 1 }, { webSearch: 3 }, { mcp: 1n }, 1_007n],
  [
    'a factor on all tokens',
    { input: 2, output: 1 },
    { priorityTier: 1 },
    { priorityTier: 2_000_000n },
    24_007n,
  ],
  ['a factor below one', { input: 2, output: 1 }, { flexTier: 1 }, { flexTier: 500_000n }, 6_007n],
  [
    'two factors',
    { input: 1_000 },
    { fastMode: 1, regionalInference: 1 },
    { fastMode: 6_000_000n, regionalInference: 1_100_000n },
    6_600_007n,
  ],
  [
    'a factor does not change calls and requests',
    { input: 1 },
    { fastMode: 1, webSearch: 1 },
    { fastMode: 6_000_000n, webSearch: 5n },
    6_012n,
  ],
  [
    'audio as part of the input',
    { input: 10 },
    { audioInput: 4 },
    { audioInput: 40_000_000_000n },
    166_007n,
  ],
  [
    'more audio than input',
    { input: 2 },
    { audioInput: 9 },
    { audioInput: 40_000_000_000n },
    80_007n,
  ],
  [
    'audio and images as part of the output',
    { output: 10 },
    { audioOutput: 4, imageOutput: 5 },
    { audioOutput: 80_000_000_000n, imageOutput: 30_000_000_000n },
    480_007n,
  ],
  ['the cost is rounded up once', { input: 1 }, { otherTier: 1 }, { otherTier: 1n }, 8n],
]

describe('features in the cost of a request', () => {
  test.each(rows)('%s', (_, tokens, uses, features, nano) => {
    const usage = { ...noUsage, ...tokens, features: uses }
    expect(costOf(usage, { ...price, features }, 1_000_000n)).toBe(nano)
  })

  test('a version without feature prices charges no features', () => {
    const usage = { ...noUsage, input: 5, features: { webSearch: 100, fastMode: 1 } }
    expect(costOf(usage, price, 1_000_000n)).toBe(
      costOf({ ...noUsage, input: 5 }, price, 1_000_000n),
    )
  })
})

const names = fc.subarray([...featureNames])
const amounts = fc.bigInt({ min: 0n, max: 100_000_000_000n })

/** Any features at any prices, and usage within the requested limits. */
const cases = fc.record({
  requested: names,
  prices: fc.dictionary(fc.constantFrom(...featureNames), amounts, { maxKeys: 16 }),
  most: fc.nat({ max: 20 }),
  share: fc.double({ min: 0, max: 1, noNaN: true }),
  input: fc.nat({ max: 1_000_000 }),
  output: fc.nat({ max: 1_000_000 }),
  factorMicro: fc.bigInt({ min: 0n, max: 10_000_000n }),
})

test('the hold is never less than the cost of a request within its limits', () => {
  fc.assert(
    fc.property(cases, ({ requested, prices, most, share, input, output, factorMicro }) => {
      const priced = { ...price, features: prices as FeaturePrices }
      const allowed = requested.map((feature) => ({ feature, most, param: '' }))
      const uses = Object.fromEntries(requested.map((feature) => [feature, usesOf(feature)]))
      function usesOf(feature: FeatureName): number {
        if (unitOf(feature) === 'factor') return share > 0.5 ? 1 : 0
        return Math.floor(share * (unitOf(feature) === 'call' ? most : input + output))
      }
      const cost = costOf({ ...noUsage, input, output, features: uses }, priced, factorMicro)
      const bound = costOfTokens(priced, factorMicro, input, output, allowed)
      expect(bound >= cost).toBe(true)
    }),
    { numRuns: repeats(2_000) },
  )
})
