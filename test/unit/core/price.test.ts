import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { costOf, highestInputNano, type Price } from '../../../src/core/money/price.ts'
import { noUsage, type TokenUsage } from '../../../src/core/money/usage.ts'

const tokens = fc.oneof(fc.nat({ max: 100_000 }), fc.nat({ max: 10_000_000 }))
const nano = fc.oneof(
  fc.bigInt({ min: 0n, max: 10n ** 11n }),
  fc.bigInt({ min: 0n, max: 10n ** 15n }),
)
const factor = fc.bigInt({ min: 0n, max: 100_000_000n })
const usages: fc.Arbitrary<TokenUsage> = fc.record({
  input: tokens,
  cacheRead: tokens,
  cacheWrite5m: tokens,
  cacheWrite1h: tokens,
  output: tokens,
  reasoning: tokens,
})
const prices: fc.Arbitrary<Price> = fc.record({
  versionId: fc.constant('v'),
  inputNano: nano,
  cacheReadNano: nano,
  cacheWrite5mNano: nano,
  cacheWrite1hNano: nano,
  outputNano: nano,
  requestNano: nano,
})
const buckets = ['input', 'cacheRead', 'cacheWrite5m', 'cacheWrite1h', 'output'] as const

/** The same sum as a slow fraction: numerator and denominator, rounded up at the end. */
function slowCost(usage: TokenUsage, price: Price, factorMicro: bigint): bigint {
  let numerator = price.requestNano
  let denominator = 1n
  for (const bucket of buckets) {
    numerator =
      numerator * 1_000_000n + BigInt(usage[bucket]) * price[`${bucket}Nano`] * denominator
    denominator *= 1_000_000n
  }
  numerator *= factorMicro
  denominator *= 1_000_000n
  const whole = numerator / denominator
  return whole * denominator === numerator ? whole : whole + 1n
}

const dollarPrice: Price = {
  versionId: 'v',
  inputNano: 1_000_000_000n,
  cacheReadNano: 100_000_000n,
  cacheWrite5mNano: 1_250_000_000n,
  cacheWrite1hNano: 2_000_000_000n,
  outputNano: 10_000_000_000n,
  requestNano: 0n,
}

describe('cost of a request', () => {
  const rows: [string, Partial<TokenUsage>, Partial<Price>, bigint, bigint][] = [
    ['nothing used', {}, {}, 1_000_000n, 0n],
    ['one token of each bucket', bucketsOf(1), {}, 1_000_000n, 14_350n],
    ['a million tokens cost the price', { input: 1_000_000 }, {}, 1_000_000n, 1_000_000_000n],
    ['the group factor multiplies', { input: 1_000_000 }, {}, 1_500_000n, 1_500_000_000n],
    ['a factor of 0 is free', bucketsOf(1_000), { requestNano: 5n }, 0n, 0n],
    ['the smallest fraction is rounded up', { input: 1 }, { inputNano: 1n }, 1n, 1n],
    [
      'the sum is rounded once',
      { input: 1, output: 1 },
      { inputNano: 1n, outputNano: 1n },
      1_000_000n,
      1n,
    ],
    ['a price per request without tokens', {}, { requestNano: 7n }, 1_000_000n, 7n],
    [
      'reasoning is part of the output and costs nothing more',
      { reasoning: 9_999 },
      {},
      1_000_000n,
      0n,
    ],
  ]
  test.each(rows)('%s', (_, usage, price, factorMicro, expected) => {
    const cost = costOf({ ...noUsage, ...usage }, { ...dollarPrice, ...price }, factorMicro)
    expect(cost).toBe(expected)
  })

  test('equals a slow sum of fractions, rounded up once', () => {
    fc.assert(
      fc.property(usages, prices, factor, (usage, price, factorMicro) => {
        expect(costOf(usage, price, factorMicro)).toBe(slowCost(usage, price, factorMicro))
      }),
    )
  })

  test('more of anything never costs less', () => {
    fc.assert(
      fc.property(usages, prices, factor, tokens, (usage, price, factorMicro, more) => {
        const cost = costOf(usage, price, factorMicro)
        for (const bucket of buckets) {
          const larger = { ...usage, [bucket]: usage[bucket] + more }
          expect(costOf(larger, price, factorMicro)).toBeGreaterThanOrEqual(cost)
        }
        expect(costOf(usage, price, factorMicro + BigInt(more))).toBeGreaterThanOrEqual(cost)
      }),
    )
  })

  test('the most expensive input token covers any division of the input', () => {
    fc.assert(
      fc.property(usages, prices, factor, (usage, price, factorMicro) => {
        const { input, cacheRead, cacheWrite5m, cacheWrite1h, output } = usage
        const all = input + cacheRead + cacheWrite5m + cacheWrite1h
        const dearest = { ...price, inputNano: highestInputNano(price) }
        const bound = costOf({ ...noUsage, input: all, output }, dearest, factorMicro)
        expect(bound).toBeGreaterThanOrEqual(costOf(usage, price, factorMicro))
      }),
    )
  })
})

function bucketsOf(count: number): Partial<TokenUsage> {
  return Object.fromEntries(buckets.map((bucket) => [bucket, count]))
}
