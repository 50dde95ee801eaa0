import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import type { ShapedRecord } from '../../../src/store/units/shape.ts'
import type { SqlValue } from '../../../src/store/units/sql-statement.ts'
import { TallySums } from '../../../src/store/units/tally-sums.ts'

const tally = { sums: [2, 3], by: [0, 1], statements: [] }

function sumsOf(records: readonly ShapedRecord[]): SqlValue[][] {
  const sums = new TallySums(tally)
  for (const record of records) sums.add(record)
  return [...sums.values()]
}

describe('tally sums', () => {
  test('there is one sum for each combination of values, in a fixed order', () => {
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
      [2, 10, 100, 'a', null],
      [2, 7, 70, 'a', 'x'],
      [2, 4, 10, 'b', 'x'],
    ])
  })

  test('texts that look alike when joined are distinguished', () => {
    const groups = sumsOf([
      ['s', 'a', 'bc', 1, 1],
      ['s', 'ab', 'c', 1, 1],
      ['s', 'a', '1', 1, 1],
      ['s', 'a', 1, 1, 1],
      ['s', '-', null, 1, 1],
      ['s', null, '-', 1, 1],
    ])
    expect(groups).toHaveLength(6)
  })

  test('sums of any size are exact', () => {
    fc.assert(
      fc.property(fc.array(fc.maxSafeNat(), { minLength: 1 }), (amounts) => {
        const total = amounts.reduce((sum, amount) => sum + BigInt(amount), 0n)
        const [sums = []] = sumsOf(amounts.map((amount) => ['s', 'a', 'b', amount, 1]))
        expect(sums.slice(0, 3).map((sum) => BigInt(sum ?? -1))).toEqual([
          BigInt(amounts.length),
          total,
          BigInt(amounts.length),
        ])
      }),
    )
  })
})
