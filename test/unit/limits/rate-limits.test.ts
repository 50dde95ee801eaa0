import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import type { LimitValues } from '../../../src/core/rate-limit.ts'
import { Rate } from '../../../src/limits/rate.ts'
import { type AppliedLimits, Permit, RateLimits } from '../../../src/limits/rate-limits.ts'

const minuteMs = 60_000
const none: LimitValues = {
  requestsPerMinute: null,
  tokensPerMinute: null,
  concurrentRequests: null,
}

function stage(values: Partial<LimitValues>, ...others: Partial<LimitValues>[]) {
  let nowMs = 5_000
  const limits = new RateLimits(() => nowMs)
  const applied: AppliedLimits[] = [values, ...others].map((each, index) => ({
    owner: 'key',
    id: `k${index}`,
    values: { ...none, ...each },
  }))
  return {
    limits,
    applied,
    pass: (ms: number) => {
      nowMs += ms
    },
    admit: (tokens = 1, of = applied) => limits.admit(of, tokens),
    permit: (tokens = 1, of = applied): Permit => {
      const outcome = limits.admit(of, tokens)
      if (outcome instanceof Permit) return outcome
      throw new Error(`refused: ${JSON.stringify(outcome)}`)
    },
  }
}

describe('a rate', () => {
  test('admits the whole limit at once, then evenly, and never more than it', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 1_000 }),
        fc.array(fc.integer({ min: 0, max: 20_000 }), { minLength: 1, maxLength: 300 }),
        (limit, pauses) => {
          const rate = new Rate()
          let nowMs = 0
          let admitted = 0
          for (const pause of pauses) {
            nowMs += pause
            if (rate.waitMs(limit, 1, nowMs) > 0) continue
            rate.take(limit, 1, nowMs)
            admitted += 1
            // The burst, and what has come back since the beginning.
            expect(admitted).toBeLessThanOrEqual(limit + (nowMs * limit) / minuteMs + 1e-6)
          }
        },
      ),
    )
  })

  test('tells exactly how long to wait', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 100_000 }),
        fc.array(fc.tuple(fc.integer({ min: 0, max: 5_000 }), fc.integer({ min: 1, max: 5_000 })), {
          maxLength: 50,
        }),
        (limit, steps) => {
          const rate = new Rate()
          let nowMs = 0
          for (const [pause, count] of steps) {
            nowMs += pause
            const waitMs = rate.waitMs(limit, count, nowMs)
            expect(rate.waitMs(limit, count, nowMs + waitMs)).toBe(0)
            if (waitMs > 1) expect(rate.waitMs(limit, count, nowMs + waitMs - 1)).toBeGreaterThan(0)
            if (waitMs === 0) rate.take(limit, count, nowMs)
          }
        },
      ),
    )
  })

  test('given back leaves no trace', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 1_000 }),
        fc.integer({ min: 1, max: 1_000 }),
        fc.integer({ min: 0, max: 100 }),
        (limit, count, usedBefore) => {
          const rate = new Rate()
          rate.take(limit, usedBefore, 1_000)
          const before = rate.level(limit, 1_000)
          const taken = Math.min(count, limit)
          rate.take(limit, taken, 1_000)
          rate.correct(limit, -taken, 1_000)
          const { remaining, fullInMs } = rate.level(limit, 1_000)
          expect(Math.abs(remaining - before.remaining)).toBeLessThanOrEqual(1)
          expect(fullInMs).toBeCloseTo(before.fullInMs, 3)
        },
      ),
    )
  })
})

describe('the limits of a request', () => {
  test('requests per minute: the limit at once, one more after its share of the minute', () => {
    const { admit, pass, permit } = stage({ requestsPerMinute: 3 })
    for (let count = 0; count < 3; count += 1) permit()
    expect(admit()).toEqual({ owner: 'key', kind: 'requests', limit: 3, waitMs: 20_000 })
    pass(19_999)
    expect(admit()).not.toBeInstanceOf(Permit)
    pass(1)
    permit()
    expect(admit()).not.toBeInstanceOf(Permit)
  })

  test('what one limit refuses takes nothing from the others', () => {
    const { limits, applied, admit, permit } = stage(
      { requestsPerMinute: 10 },
      { requestsPerMinute: 1, tokensPerMinute: 100 },
    )
    permit(30)
    for (let count = 0; count < 5; count += 1) {
      expect(admit(30)).toMatchObject({ kind: 'requests', limit: 1 })
    }
    const [wide, narrow] = applied
    expect(limits.levels(wide ? [wide] : []).requests?.remaining).toBe(9)
    expect(limits.levels(narrow ? [narrow] : []).tokens?.remaining).toBe(70)
  })

  test('of several refusals the one that takes longest is told', () => {
    const { admit, permit } = stage({ requestsPerMinute: 60 }, { tokensPerMinute: 60 })
    permit(60)
    expect(admit(30)).toEqual({ owner: 'key', kind: 'tokens', limit: 60, waitMs: 30_000 })
  })

  test('concurrent requests: the place is free as soon as a request has ended, once', () => {
    const { admit, permit } = stage({ concurrentRequests: 2 })
    const [one, two] = [permit(), permit()]
    expect(admit()).toMatchObject({ kind: 'concurrent', limit: 2 })
    one.end(5)
    one.end(5)
    one.giveBack()
    const three = permit()
    expect(admit()).toMatchObject({ kind: 'concurrent' })
    two.giveBack()
    three.end(0)
    permit()
  })

  test('tokens: the true usage replaces the estimate', () => {
    const { limits, applied, permit } = stage({ tokensPerMinute: 1_000 })
    const remaining = () => limits.levels(applied).tokens?.remaining
    const small = permit(400)
    expect(remaining()).toBe(600)
    small.end(100)
    expect(remaining()).toBe(900)
    permit(100).end(950)
    expect(remaining()).toBe(0)
  })

  test('a request that is larger than the limit is admitted when all of it is available, and delays the next', () => {
    const { admit, pass, permit } = stage({ tokensPerMinute: 1_000 })
    permit(5_000).end(3_000)
    // 3,000 tokens take three minutes; the first of them is the burst.
    expect(admit(1)).toMatchObject({ kind: 'tokens', waitMs: 120_060 })
    pass(120_060)
    permit(1)
    expect(admit(1_000)).toMatchObject({ kind: 'tokens' })
  })

  test('a debt is never longer than five minutes', () => {
    const { admit, permit } = stage({ tokensPerMinute: 10 })
    permit(10).end(1_000_000_000)
    expect(admit(10)).toMatchObject({ waitMs: 6 * minuteMs })
  })

  test('owners that are no longer used are forgotten', () => {
    const { limits, pass } = stage({})
    const values = { ...none, requestsPerMinute: 60 }
    for (let index = 0; index < 2_000; index += 1) {
      const permit = limits.admit([{ owner: 'key', id: `key-${index}`, values }], 1)
      if (permit instanceof Permit) permit.end(1)
      pass(2_000)
    }
    expect(limits.size).toBeLessThan(1_100)
  })
})
