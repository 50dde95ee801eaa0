import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { causeOfStatus } from '../../../src/routing/failure-cause.ts'
import { TargetHealth } from '../../../src/routing/target-health.ts'

/** The middle of the range: no jitter. */
const noJitter = 0.5
const second = 1_000

function fresh(): TargetHealth {
  return new TargetHealth('one', 'm')
}

function fail(target: TargetHealth, count: number, nowMs: number): boolean {
  let hasOpened = false
  for (let each = 0; each < count; each += 1) {
    hasOpened = target.fail(nowMs, nowMs, noJitter) || hasOpened
  }
  return hasOpened
}

function succeed(target: TargetHealth, count: number, nowMs: number): void {
  for (let each = 0; each < count; each += 1) target.succeed(nowMs, nowMs)
}

/** Opens it at `nowMs` by failures in a row. */
function opened(nowMs: number): TargetHealth {
  const target = fresh()
  fail(target, 5, nowMs)
  return target
}

describe('the breaker opens', () => {
  test('after five failures in a row, not after four', () => {
    const target = fresh()
    expect(fail(target, 4, second)).toBe(false)
    expect(target.mayPass(second)).toBe(true)
    expect(fail(target, 1, second)).toBe(true)
    expect(target.mayPass(second)).toBe(false)
    expect(target.openUntilMs).toBe(31 * second)
  })

  test('not when there is an answer in between', () => {
    const target = fresh()
    for (let round = 0; round < 4; round += 1) {
      expect(fail(target, 4, second)).toBe(false)
      succeed(target, 6, second)
    }
    expect(target.mayPass(second)).toBe(true)
  })

  test('when more than half of at least twenty within 30 s fail', () => {
    const target = fresh()
    for (let round = 0; round < 10; round += 1) {
      succeed(target, 1, round * 2_000)
      expect(fail(target, 1, round * 2_000)).toBe(false)
    }
    expect(fail(target, 1, 20 * second)).toBe(true)
  })

  test('not when those failures are older', () => {
    const target = fresh()
    for (let round = 0; round < 10; round += 1) {
      succeed(target, 1, 0)
      fail(target, 1, 0)
    }
    succeed(target, 1, 36 * second)
    expect(fail(target, 1, 36 * second)).toBe(false)
  })
})

describe('while it is open', () => {
  test('no request passes before its time, then one at a time', () => {
    const target = opened(0)
    expect(target.mayPass(29_999)).toBe(false)
    expect(target.mayPass(30_000)).toBe(true)
    expect(target.enter(30_000)).toBe(true)
    expect(target.mayPass(30_001)).toBe(false)
    expect(target.enter(30_001)).toBe(false)
    // The testing request ended without a result: another one may test.
    target.leave(true)
    expect(target.mayPass(30_002)).toBe(true)
  })

  test('a test that hangs blocks the others for a minute, no longer', () => {
    const target = opened(0)
    target.enter(30_000)
    expect(target.mayPass(89_999)).toBe(false)
    expect(target.mayPass(90_000)).toBe(true)
  })

  test('a successful test closes it', () => {
    const target = opened(0)
    const isTrial = target.enter(30_000)
    expect(target.succeed(31_000, 30_000)).toBe(true)
    target.leave(isTrial)
    expect(target.mayPass(31_000)).toBe(true)
    expect(target.inFlight).toBe(0)
  })

  test('each failed test makes it stay open longer, up to ten minutes', () => {
    const target = opened(0)
    const lengths = Array.from({ length: 25 }, () => {
      const nowMs = target.openUntilMs
      target.enter(nowMs)
      expect(target.fail(nowMs, nowMs, noJitter)).toBe(true)
      target.leave(true)
      return (target.openUntilMs - nowMs) / second
    })
    expect(lengths.slice(0, 4)).toEqual([60, 90, 120, 150])
    expect(lengths.at(-1)).toBe(600)
  })

  test('a relapse increases the count; after ten good minutes it starts again', () => {
    const target = opened(0)
    target.succeed(30_000, 30_000)
    fail(target, 5, 40_000)
    expect(target.openUntilMs).toBe(100_000)
    target.succeed(100_000, 100_000)
    fail(target, 5, 701_000)
    expect(target.openUntilMs).toBe(731_000)
  })

  test('a request that began before it opened neither closes it nor opens it again', () => {
    const target = opened(10 * second)
    expect(target.succeed(11 * second, 5 * second)).toBe(false)
    expect(target.mayPass(11 * second)).toBe(false)
    const { openUntilMs } = target
    expect(target.fail(50 * second, 5 * second, noJitter)).toBe(false)
    expect(target.openUntilMs).toBe(openUntilMs)
  })

  test('a last resort that succeeds closes it, one that fails changes nothing', () => {
    const target = opened(0)
    expect(target.enter(5 * second)).toBe(false)
    expect(target.fail(6 * second, 5 * second, noJitter)).toBe(false)
    expect(target.openUntilMs).toBe(30 * second)
    expect(target.succeed(7 * second, 5 * second)).toBe(true)
    expect(target.openUntilMs).toBe(0)
  })

  test('a successful probe lets the next request test at once', () => {
    const target = opened(0)
    target.hint(2_000)
    expect(target.mayPass(2_000)).toBe(true)
    expect(target.enter(2_000)).toBe(true)
  })

  test('jitter changes the time by up to a fifth, and never beyond the limit', () => {
    fc.assert(
      fc.property(fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }), (chance) => {
        const target = fresh()
        for (let each = 0; each < 5; each += 1) target.fail(0, 0, chance)
        expect(target.openUntilMs).toBeGreaterThanOrEqual(24 * second)
        expect(target.openUntilMs).toBeLessThanOrEqual(36 * second)
      }),
    )
  })
})

describe('measurements', () => {
  test('the first time to first token counts in full, later ones count a tenth', () => {
    const target = fresh()
    target.noteFirstToken(1_000)
    expect(target.latencyMs).toBe(1_000)
    target.noteFirstToken(2_000)
    expect(target.latencyMs).toBe(1_100)
  })

  test('the health score falls with failures, rises with answers, and stays between 0 and 1', () => {
    fc.assert(
      fc.property(fc.array(fc.boolean(), { maxLength: 200 }), (outcomes) => {
        const target = fresh()
        for (const [index, isGood] of outcomes.entries()) {
          const before = target.healthScore
          if (isGood) target.succeed(index, index)
          else target.fail(index, index, noJitter)
          expect(isGood ? target.healthScore >= before : target.healthScore <= before).toBe(true)
          expect(target.healthScore >= 0 && target.healthScore <= 1).toBe(true)
        }
      }),
    )
  })
})

describe('the cause of a status', () => {
  const rows = [
    [[401, 402, 403], 'credential'],
    [[429], 'limit'],
    [[302, 408, 500, 502, 503, 504, 529], 'upstream'],
    [[400, 404, 409, 413, 422], 'request'],
  ] as const
  test.each(rows)('%j: %s', (statuses, cause) => {
    for (const status of statuses) expect(causeOfStatus(status)).toBe(cause)
  })
})
