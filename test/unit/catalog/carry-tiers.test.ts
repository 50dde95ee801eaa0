import { expect, test } from 'bun:test'
import { carryTiers } from '../../../src/catalog/carry-tiers.ts'
import { dollarsMost } from '../../../src/fields/kinds.ts'

const flat = (nano: bigint) => ({
  inputNano: nano,
  cacheReadNano: nano,
  cacheWrite5mNano: nano,
  cacheWrite1hNano: nano,
  outputNano: nano,
})

test.each([
  ['as much more as before', 10n, 15n, 20n, 30n],
  ['rounded up', 3n, 4n, 1n, 2n],
  ['what cost nothing stays', 0n, 7n, 5n, 7n],
  ['what cost nothing is no less than a short prompt', 0n, 7n, 9n, 9n],
  ['never more than a price can be', 1n, 2n, dollarsMost, dollarsMost],
])('what long prompts cost is carried over: %s', (_name, before, tier, after, expected) => {
  const tiers = [{ aboveTokens: 100, ...flat(tier) }]
  expect(carryTiers({ ...flat(before), tiers }, flat(after))).toEqual([
    { aboveTokens: 100, ...flat(expected) },
  ])
})
