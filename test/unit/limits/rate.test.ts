import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import {
  afterResize,
  afterTaking,
  fullInMs,
  fullInMsMax,
  isWithinRate,
  minuteMs,
  remainderOf,
  unitMsOf,
  waitFor,
  wholeRemainder,
} from '../../../src/limits/rate.ts'

const limits = fc.integer({ min: 1, max: 1_000 })
const pauses = fc.array(fc.integer({ min: 0, max: 20_000 }), { minLength: 1, maxLength: 300 })

function remaining(limit: number, leftMs: number): number {
  return wholeRemainder(remainderOf(limit, leftMs))
}

/** A rate that changes its state. */
class Rate {
  #fullAtMs = 0

  fullInMs(nowMs: number): number {
    return fullInMs(this.#fullAtMs, nowMs)
  }

  hasRoomFor(ms: number, nowMs: number): boolean {
    return isWithinRate(fullInMs(this.#fullAtMs, nowMs) + ms)
  }

  take(ms: number, nowMs: number): void {
    this.#fullAtMs = afterTaking(this.#fullAtMs, ms, nowMs)
  }

  resize(from: number, to: number, nowMs: number): void {
    this.#fullAtMs = afterResize(this.#fullAtMs, { from, to }, nowMs)
  }
}

describe('a rate', () => {
  test('in every window admits at most the limit at once and what comes back in the window', () => {
    fc.assert(
      fc.property(limits, pauses, (limit, steps) => {
        const rate = new Rate()
        const admittedAt: number[] = []
        let nowMs = 0
        for (const pause of steps) {
          nowMs += pause
          for (let tries = 0; tries < 3; tries += 1) {
            if (waitFor(limit, 1, rate.fullInMs(nowMs)) > 0) break
            rate.take(unitMsOf(limit), nowMs)
            admittedAt.push(nowMs)
          }
        }
        for (const [from, startMs] of admittedAt.entries()) {
          for (const [to, endMs] of admittedAt.entries()) {
            if (to < from) continue
            const most = limit + ((endMs - startMs) * limit) / minuteMs
            expect(to - from + 1).toBeLessThanOrEqual(most + 1e-6)
          }
        }
      }),
      { numRuns: 30 },
    )
  })

  test('returns the exact wait', () => {
    const step = fc.tuple(fc.integer({ min: 0, max: 5_000 }), fc.integer({ min: 1, max: 5_000 }))
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 100_000 }),
        fc.array(step, { maxLength: 50 }),
        (limit, steps) => {
          const rate = new Rate()
          let nowMs = 0
          for (const [pause, count] of steps) {
            nowMs += pause
            const waitMs = waitFor(limit, count, rate.fullInMs(nowMs))
            expect(waitFor(limit, count, rate.fullInMs(nowMs + waitMs))).toBe(0)
            const taken = Math.min(count, limit) * unitMsOf(limit)
            expect(rate.hasRoomFor(taken, nowMs)).toBe(waitMs === 0)
            if (waitMs > 1)
              expect(waitFor(limit, count, rate.fullInMs(nowMs + waitMs - 1))).toBeGreaterThan(0)
            if (waitMs === 0) rate.take(taken, nowMs)
          }
        },
      ),
    )
  })

  test('is unchanged after everything was given back', () => {
    fc.assert(
      fc.property(
        limits,
        fc.integer({ min: 1, max: 1_000 }),
        fc.integer({ min: 0, max: 100 }),
        (limit, count, usedBefore) => {
          const rate = new Rate()
          rate.take(usedBefore * unitMsOf(limit), 1_000)
          fc.pre(usedBefore + count <= 5 * limit)
          const before = rate.fullInMs(1_000)
          rate.take(count * unitMsOf(limit), 1_000)
          rate.take(-count * unitMsOf(limit), 1_000)
          expect(rate.fullInMs(1_000)).toBeCloseTo(before, 3)
        },
      ),
    )
  })

  test('corrections of any size leave a wait of at most six minutes, and never more than the limit', () => {
    fc.assert(
      fc.property(
        limits,
        fc.array(fc.integer({ min: -1_000_000, max: 1_000_000 }), { maxLength: 30 }),
        (limit, corrections) => {
          const rate = new Rate()
          for (const count of corrections) {
            rate.take(count * unitMsOf(limit), 7_000)
            const leftMs = rate.fullInMs(7_000)
            expect(leftMs).toBeGreaterThanOrEqual(0)
            expect(leftMs).toBeLessThanOrEqual(fullInMsMax)
            expect(remaining(limit, leftMs)).toBeLessThanOrEqual(limit)
          }
        },
      ),
    )
  })

  test('after the clock was set back, no wait is longer than six minutes, and nothing is admitted twice', () => {
    fc.assert(
      fc.property(limits, fc.integer({ min: 1, max: 10 * 86_400_000 }), (limit, backMs) => {
        const rate = new Rate()
        const nowMs = 20 * 86_400_000
        rate.take(limit * unitMsOf(limit), nowMs)
        const leftMs = rate.fullInMs(nowMs - backMs)
        expect(leftMs).toBeLessThanOrEqual(fullInMsMax)
        expect(waitFor(limit, 1, leftMs)).toBeGreaterThan(0)
      }),
    )
  })

  test('of another size keeps the remaining amount, and a larger one does not begin full', () => {
    fc.assert(
      fc.property(limits, limits, fc.integer({ min: 0, max: 1_000 }), (from, to, count) => {
        const rate = new Rate()
        const used = Math.min(count, from)
        rate.take(used * unitMsOf(from), 0)
        rate.resize(from, to, 0)
        const left = Math.min(from - used, to)
        expect(remaining(to, rate.fullInMs(0))).toBe(left)
      }),
    )
  })

  test('without a share admits nothing and loses no debt', () => {
    const rate = new Rate()
    expect(waitFor(0, 1, rate.fullInMs(0))).toBe(1_000)
    rate.take(10 * unitMsOf(10), 0)
    rate.resize(10, 0, 0)
    rate.take(5 * unitMsOf(0), 0)
    rate.resize(0, 10, 0)
    expect(waitFor(10, 1, rate.fullInMs(0))).toBeGreaterThan(0)
  })
})
