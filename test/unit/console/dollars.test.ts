import { describe, expect, test } from 'bun:test'
import { fitDollars, groupDigits } from '../../../console/src/format/dollars.ts'

describe('an amount in a card', () => {
  test.each([
    ['nothing', 0n, undefined],
    ['nine decimals', 12_345_678n, undefined],
    ['hundreds with nine decimals', 146_123_456_789n, undefined],
    ['whole millions', 1_234_567_000_000_000n, undefined],
    ['thousands with nine decimals', 12_345_123_456_789n, '$12,345.12…'],
    ['a negative amount', -12_345_123_456_789n, '−$12,345.12…'],
    ['billions', 3_000_000_000_370_370_367n, '$3B'],
    ['negative billions', -3_400_000_000_000_000_000n, '−$3.4B'],
  ] as const)('%s is exact, or shorter than the card', (_name, nano, shown) => {
    expect(fitDollars(nano)).toBe(shown)
    expect(fitDollars(nano.toString())).toBe(shown)
  })
})

test.each([
  ['$0.05', '$0.05'],
  ['$999.123456789', '$999.123456789'],
  ['$2500.00', '$2,500.00'],
  ['-$1234567.000000001', '-$1,234,567.000000001'],
])('the amount %s of a message is shown as %s', (sent, shown) => {
  expect(groupDigits(sent)).toBe(shown)
})
