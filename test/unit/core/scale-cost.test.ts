import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { scaleCost } from '../../../src/core/money/scale-cost.ts'
import { repeats } from '../../support/repeats.ts'

const most = Number.MAX_SAFE_INTEGER

function slowly(perMillion: number, factorMicro: number): bigint {
  const unit = 10n ** 12n
  return (BigInt(perMillion) * BigInt(factorMicro) + unit - 1n) / unit
}

describe('scaled cost', () => {
  const rows: [number, number, number | undefined][] = [
    [0, 1_000_000, 0],
    [1, 1, 1],
    [1_000_000, 1_000_000, 1],
    [1_000_001, 1_000_000, 2],
    [999_999, 1_000_000, 1],
    [5_000_000, 0, 0],
    [most, 1_000_000, 9_007_199_255],
    [most, 0, 0],
    [most + 1, 1, undefined],
    [most, most, undefined],
    [999_999, most, undefined],
    [Number.NaN, 1, undefined],
    [Number.POSITIVE_INFINITY, 1, undefined],
  ]
  test.each(rows)('of %p per million at factor %p is %p', (perMillion, factorMicro, cost) => {
    expect(scaleCost(perMillion, factorMicro)).toBe(cost)
  })

  test('equals the result of big integers, or is undefined', () => {
    fc.assert(
      fc.property(fc.maxSafeNat(), fc.oneof(fc.nat(), fc.maxSafeNat()), (perMillion, factor) => {
        const cost = scaleCost(perMillion, factor)
        return cost === undefined || BigInt(cost) === slowly(perMillion, factor)
      }),
      { numRuns: repeats(5_000) },
    )
  })

  test('is never undefined for realistic amounts', () => {
    fc.assert(
      fc.property(fc.nat({ max: 10 ** 14 }), fc.nat({ max: 20_000_000 }), (perMillion, factor) => {
        expect(scaleCost(perMillion, factor)).toBe(Number(slowly(perMillion, factor)))
      }),
    )
  })
})
