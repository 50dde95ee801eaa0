import { describe, expect, test } from 'bun:test'
import * as rules from '../../../src/console-api/contract/rules.ts'
import { findProblem } from '../../../src/fields/find-problem.ts'
import type { Kind } from '../../../src/fields/kind.ts'
import {
  countKind,
  credentialKind,
  factorKind,
  proxyKind,
  urlKind,
} from '../../../src/fields/kinds.ts'
import { type ValueProblem, valueProblemTexts } from '../../../src/fields/problems.ts'

const now = 1_800_000_000_000

function by<Value, Wire>({ wire }: Kind<Value, Wire>) {
  return (value: unknown) => findProblem(wire, value)?.problem
}

/** Values that each rule accepts and rejects; the browser runs the same functions. */
const table: [name: string, judge: (value: never) => unknown, good: unknown[], bad: unknown[]][] = [
  ['a name', rules.nameProblem, ['a', '名字', 'x'.repeat(200)], ['', ' ', 'a\nb', 'x'.repeat(201)]],
  ['an id', rules.idProblem, ['a', 'A-1', 'lab/open:8b'], ['', '-a', 'a b', 'x'.repeat(129)]],
  [
    'an amount',
    rules.amountProblem,
    ['0', '5.00', '0.000000001'],
    ['', '-1', '1,5', '0.0000000001'],
  ],
  [
    'nano',
    rules.nanoProblem,
    ['0', '1000000000000000000'],
    ['', '-1', '1.0', '1000000000000000001'],
  ],
  ['models', rules.modelsProblem, [[], ['a']], [['a', 'a']]],
  ['a factor', by(factorKind), ['0', '1.5', '0.000001'], ['', '-1', '1.0000001', 'x']],
  [
    'a URL',
    by(urlKind),
    ['https://x/v1', 'http://127.0.0.1:1'],
    ['x', 'ftp://x', 'https://u:p@x', 'https://x?a', 'https://x#a'],
  ],
  ['a proxy', by(proxyKind), ['http://u:p@x:1'], ['x:1', 'socks5://x']],
  ['a credential', by(credentialKind), ['sk-1'], ['', 'a b', 'ü']],
  ['a count', by(countKind(1)), [1, 1_000_000_000], [0, -1, 1.5, Number.NaN]],
]

for (const [name, judge, good, bad] of table) {
  describe(name, () => {
    for (const value of good) {
      test(`accepts ${JSON.stringify(value).slice(0, 40)}`, () => {
        expect(judge(value as never)).toBeUndefined()
      })
    }
    for (const value of bad) {
      test(`rejects ${JSON.stringify(value).slice(0, 40)}`, () => {
        const problem = judge(value as never) as ValueProblem
        expect(valueProblemTexts[problem]).toStartWith('must ')
      })
    }
  })
}

test('an end must be in the future', () => {
  expect(rules.expiryProblem(now + 1, now)).toBeUndefined()
  expect([now, now + 0.5, Number.NaN].map((ms) => rules.expiryProblem(ms, now))).toEqual(
    Array(3).fill('expiry_past'),
  )
})

test('an address is allowed if the list contains it or is absent', () => {
  const mine = '203.0.113.7'
  expect(rules.isAddressAllowed(mine, null)).toBe(true)
  expect(rules.isAddressAllowed(mine, ['10.0.0.0/8', '203.0.113.0/24'])).toBe(true)
  expect(rules.isAddressAllowed(mine, ['10.0.0.0/8'])).toBe(false)
  expect(rules.isAddressAllowed(mine, [])).toBe(false)
  expect(rules.isAddressAllowed('::ffff:203.0.113.7', [mine])).toBe(true)
})

test('amounts and factors are exact', () => {
  expect(rules.nanoOfDollars('123456789.123456789')).toBe('123456789123456789')
  expect(factorKind.written.parse('1.5')).toBe(1_500_000n)
})
