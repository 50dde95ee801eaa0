import { expect, test } from 'bun:test'
import {
  createSignInThrottle,
  signInLimits,
} from '../../../src/console-api/access/sign-in-throttle.ts'

const clock = { nowMs: () => 0, monotonicMs: () => 0 }

/** The number of wrong passwords that one visitor can try at all workers together. */
async function triesAt(workers: number): Promise<number> {
  let tries = 0
  for (let worker = 0; worker < workers; worker += 1) {
    const throttle = createSignInThrottle(clock, workers)
    const who = { address: '192.0.2.1', user: 'ann@example.com' }
    const attempt = () => throttle.attempt(who, async () => undefined)
    while (
      await attempt().then(
        () => true,
        () => false,
      )
    )
      tries += 1
  }
  return tries
}

test('several workers together allow no more attempts than one process', async () => {
  const { burst } = signInLimits.perPair
  expect(await triesAt(1)).toBe(burst)
  expect(await triesAt(2)).toBe(burst)
  expect(await triesAt(4)).toBeLessThanOrEqual(burst)
  expect(await triesAt(4)).toBeGreaterThan(0)
})
