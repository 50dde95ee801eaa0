import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import type { ShapedRecord } from '../../src/store/shape.ts'
import { TallySums } from '../../src/store/tally-sums.ts'

const tally = { sum: 2, by: [0, 1], statements: [] }

function sumsOf(records: readonly ShapedRecord[]): unknown[] {
  const sums = new TallySums(tally)
  for (const record of records) sums.add(record)
  return [...sums.values()]
}

describe('tally sums', () => {
  test('one sum for each combination of values, in one order', () => {
    expect(
      sumsOf([
        ['s', 'b', 'x', 1],
        ['s', 'a', 'x', 2],
        ['s', 'b', 'x', 3],
        ['s', 'a', 'y', 4],
        ['s', 'a', 'x', 5],
      ]),
    ).toEqual([
      [7n, 'a', 'x'],
      [4n, 'a', 'y'],
      [4n, 'b', 'x'],
    ])
  })

  test('exact, however large', () => {
    fc.assert(
      fc.property(fc.array(fc.maxSafeNat(), { minLength: 1 }), (amounts) => {
        const total = amounts.reduce((sum, amount) => sum + BigInt(amount), 0n)
        expect(sumsOf(amounts.map((amount) => ['s', 'a', 'b', amount]))).toEqual([
          [total, 'a', 'b'],
        ])
      }),
    )
  })
})
