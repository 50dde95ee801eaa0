import { expect, test } from 'bun:test'
import { carryTiers } from '../../../src/catalog/carry-tiers.ts'
import { dollarsMax } from '../../../src/fields/kinds.ts'

const flat = (nano: bigint) => ({
  inputNano: nano,
  cacheReadNano: nano,
  cacheWrite5mNano: nano,
  cacheWrite1hNano: nano,
  outputNano: nano,
})

test.each([
  ['the same ratio as before', 10n, 15n, 20n, 30n],
  ['the result is rounded up', 3n, 4n, 1n, 2n],
  ['a price that was 0 keeps the tier', 0n, 7n, 5n, 7n],
  ['a price that was 0 is never cheaper in the tier', 0n, 7n, 9n, 9n],
  ['never above the highest possible price', 1n, 2n, dollarsMax, dollarsMax],
])('prices of long prompts follow the base price: %s', (_name, before, tier, after, expected) => {
  const tiers = [{ aboveTokens: 100, ...flat(tier) }]
  expect(carryTiers({ ...flat(before), tiers }, flat(after))).toEqual([
    { aboveTokens: 100, ...flat(expected) },
  ])
})
