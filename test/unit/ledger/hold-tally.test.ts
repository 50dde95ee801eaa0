import { expect, test } from 'bun:test'
import { HoldTally } from '../../../src/ledger/leases/hold-tally.ts'

function holdSince(atMs: number) {
  return { atMs, denseIndex: undefined }
}

test('without holds there is no age', () => {
  expect(new HoldTally().status()).toEqual({
    oldestHoldAtMs: undefined,
    unshippedSinceMs: undefined,
    admitsWithoutEntry: 0,
  })
})

test('the oldest hold is the first that is not settled, whichever ended before', () => {
  const tally = new HoldTally()
  const [first, second, third] = [holdSince(10), holdSince(20), holdSince(30)]
  for (const hold of [first, second, third]) tally.admit(hold)
  expect(tally.status().oldestHoldAtMs).toBe(10)
  tally.write(second)
  expect(tally.status().oldestHoldAtMs).toBe(10)
  tally.write(first)
  expect([tally.open, tally.status().oldestHoldAtMs]).toEqual([1, 30])
  tally.withdraw(third)
  expect(tally.status()).toMatchObject({ oldestHoldAtMs: undefined, admitsWithoutEntry: 2 })
})

test('written records that are not shipped have an age, to the second', () => {
  const tally = new HoldTally()
  const holds = [1, 2, 3, 4].map(holdSince)
  for (const hold of holds) tally.admit(hold)
  for (const [index, hold] of holds.slice(0, 3).entries()) {
    tally.write(hold)
    tally.sample(1_000 * (index + 1))
  }
  expect(tally.status()).toMatchObject({ unshippedSinceMs: 1_000, admitsWithoutEntry: 4 })
  tally.ship()
  expect(tally.status().unshippedSinceMs).toBe(2_000)
  tally.ship()
  tally.ship()
  expect(tally.status()).toMatchObject({ unshippedSinceMs: undefined, admitsWithoutEntry: 1 })
  tally.sample(9_000)
  expect(tally.status().unshippedSinceMs).toBeUndefined()
})
