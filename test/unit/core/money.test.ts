import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import {
  formatDollars,
  parseDecimal,
  parseDollars,
  roundedDollarText,
} from '../../../src/core/money/money.ts'

const nano = fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n })

describe('money', () => {
  const dollars: [string | number, bigint | undefined][] = [
    ['0', 0n],
    ['-0', 0n],
    ['1', 1_000_000_000n],
    ['2.50', 2_500_000_000n],
    [' 2.5 ', 2_500_000_000n],
    [2.5, 2_500_000_000n],
    [0.1, 100_000_000n],
    ['0.000000001', 1n],
    [1e-9, 1n],
    ['1e-7', 100n],
    ['10e-10', 1n],
    ['1.5E3', 1_500_000_000_000n],
    ['-0.07', -70_000_000n],
    ['0.1000000000000', 100_000_000n],
    [1e21, 10n ** 30n],
    ['0.0000000001', undefined],
    ['1e-10', undefined],
    ['', undefined],
    ['.5', undefined],
    ['5.', undefined],
    ['+5', undefined],
    ['1,000', undefined],
    ['1_000', undefined],
    ['0x10', undefined],
    ['$5', undefined],
    ['5 dollars', undefined],
    ['1e1000', undefined],
    ['Infinity', undefined],
    [Number.NaN, undefined],
    [Number.POSITIVE_INFINITY, undefined],
    ['٣', undefined],
  ]
  test.each(dollars)('parseDollars(%j) is %p nano', (input, expected) => {
    expect(parseDollars(input)).toBe(expected)
  })

  const formatted: [bigint, string][] = [
    [0n, '0.00'],
    [1n, '0.000000001'],
    [1_234_500_000n, '1.2345'],
    [100_000_000n, '0.10'],
    [10n ** 18n, '1000000000.00'],
    [-70_000_000n, '-0.07'],
    [-1n, '-0.000000001'],
  ]
  test.each(formatted)('formatDollars(%p) is %p', (amount, text) => {
    expect(formatDollars(amount)).toBe(text)
  })

  const rounded: [bigint, string][] = [
    [0n, '$0.00'],
    [1n, '$0.000000001'],
    [123n, '$0.00000012'],
    [99_999_999n, '$0.099'],
    [100_000_000n, '$0.10'],
    [4_999_999_999n, '$4.99'],
    [5_000_000_000n, '$5.00'],
    [12_345_678_999_999_999n, '$12345678.99'],
    [-1n, '-$0.000000001'],
    [-1_239_999n, '-$0.0013'],
    [-99_999_999n, '-$0.10'],
    [-4_990_000_001n, '-$5.00'],
  ]
  test.each(rounded)('roundedDollarText(%p) is %p', (amount, text) => {
    expect(roundedDollarText(amount)).toBe(text)
  })

  test('a rounded amount is never more than the amount', () => {
    const read = (text: string) => parseDollars(text.replace('$', '')) ?? 0n
    fc.assert(fc.property(nano, (amount) => read(roundedDollarText(amount)) <= amount))
  })

  test('a formatted amount is parsed back exactly', () => {
    fc.assert(fc.property(nano, (amount) => parseDollars(formatDollars(amount)) === amount))
  })

  test('a formatted amount has two to nine decimals, without redundant zeros', () => {
    fc.assert(
      fc.property(nano, (amount) => /^-?\d+\.(\d{2}|\d{2,8}[1-9])$/.test(formatDollars(amount))),
    )
  })

  test('any notation of digits, point and exponent gives the same value', () => {
    fc.assert(
      fc.property(
        fc.bigInt({ min: 0n, max: 10n ** 30n }),
        fc.integer({ min: 0, max: 12 }),
        fc.integer({ min: 0, max: 6 }),
        (digits, places, zeros) => {
          const padded = digits.toString().padStart(places + 1, '0')
          const whole = padded.slice(0, padded.length - places)
          const fraction = padded.slice(padded.length - places) + '0'.repeat(zeros)
          const plain = fraction === '' ? whole : `${whole}.${fraction}`
          const isExact = places <= 9 || digits % 10n ** BigInt(places - 9) === 0n
          const expected = isExact ? (digits * 10n ** 9n) / 10n ** BigInt(places) : undefined
          expect(parseDecimal(plain, 9)).toBe(expected)
          expect(parseDecimal(`${digits}e-${places}`, 9)).toBe(expected)
          expect(parseDecimal(`${digits}0E-${places + 1}`, 9)).toBe(expected)
        },
      ),
    )
  })

  test('no text makes it throw, and every accepted text is a decimal', () => {
    fc.assert(
      fc.property(fc.string(), fc.integer({ min: 0, max: 9 }), (text, scale) => {
        const value = parseDecimal(text, scale)
        return value === undefined || /^-?[\d.]+(e[+-]?\d+)?$/i.test(text.trim())
      }),
    )
  })
})
