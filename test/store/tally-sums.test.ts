import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import type { ShapedRecord } from '../../src/store/shape.ts'
import { TallySums } from '../../src/store/tally-sums.ts'

const tally = { sums: [2, 3], by: [0, 1], statements: [] }

function sumsOf(records: readonly ShapedRecord[]): unknown[] {
  const sums = new TallySums(tally)
  for (const record of records) sums.add(record)
  return [...sums.values()]
}

describe('tally sums', () => {
  test('one sum for each combination of values, in one order', () => {
    expect(
      sumsOf([
        ['s', 'b', 'x', 1, 10],
        ['s', 'a', 'x', 2, 20],
        ['s', 'b', 'x', 3, null],
        ['s', 'a', null, 4, 40],
        ['s', 'a', 'x', 5, 50],
        ['s', 'a', null, 6, 60],
      ]),
    ).toEqual([
      [2n, 7n, 70n, 'a', 'x'],
      [2n, 10n, 100n, 'a', null],
      [2n, 4n, 10n, 'b', 'x'],
    ])
  })

  test('exact, however large', () => {
    fc.assert(
      fc.property(fc.array(fc.maxSafeNat(), { minLength: 1 }), (amounts) => {
        const total = amounts.reduce((sum, amount) => sum + BigInt(amount), 0n)
        expect(sumsOf(amounts.map((amount) => ['s', 'a', 'b', amount, 1]))).toEqual([
          [BigInt(amounts.length), total, BigInt(amounts.length), 'a', 'b'],
        ])
      }),
    )
  })
})
