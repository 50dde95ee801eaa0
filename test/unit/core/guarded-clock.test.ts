import { describe, expect, test } from 'bun:test'
import { guardClock } from '../../../src/core/time/guarded-clock.ts'

const day = 86_400_000
const noon = 1_700_000_000_000

/** A machine whose clock can be set, while its monotonic clock continues. */
function machine(options: { newestMs?: number } = {}) {
  const state = { wallMs: noon, monotonicMs: 5_000, told: [] as number[] }
  const clock = { nowMs: () => state.wallMs, monotonicMs: () => state.monotonicMs }
  const guarded = guardClock(clock, options.newestMs ?? 0, (ms) => state.told.push(ms))
  return {
    state,
    now: () => guarded.nowMs() - noon,
    pass: (ms: number) => {
      state.wallMs += ms
      state.monotonicMs += ms
    },
    set: (byMs: number) => {
      state.wallMs += byMs
    },
    sleep: (ms: number) => {
      state.wallMs += ms
    },
  }
}

describe('the guarded clock', () => {
  test('follows the wall clock, including corrections of less than a second', () => {
    const { now, pass, set, state } = machine()
    expect(now()).toBe(0)
    for (let count = 1; count <= 20; count += 1) {
      pass(10_000)
      set(-300)
      expect(now()).toBe(count * 9_700)
    }
    expect(state.told).toEqual([])
  })

  test('set back by a day: time continues, one warning, and the wall clock counts when it has caught up', () => {
    const { now, pass, set, state } = machine()
    now()
    set(-day)
    expect(now()).toBe(0)
    pass(60_000)
    expect(now()).toBe(60_000)
    expect(state.told).toEqual([day])
    set(day)
    pass(1_000)
    expect(now()).toBe(61_000)
    set(-day)
    expect(now()).toBe(61_000)
    expect(state.told).toHaveLength(2)
  })

  test('set forward by a day and back: followed both ways', () => {
    const { now, pass, set, state } = machine()
    set(day)
    expect(now()).toBe(day)
    pass(5_000)
    set(-day)
    expect(now()).toBe(5_000)
    expect(state.told).toEqual([])
  })

  test('the sleep of a machine counts as elapsed time', () => {
    const { now, sleep } = machine()
    sleep(3_600_000)
    expect(now()).toBe(3_600_000)
  })

  test('started with a clock a day behind the database: time continues from the database', () => {
    const { now, pass, state } = machine({ newestMs: noon + day })
    expect(now()).toBe(day)
    pass(2_000)
    expect(now()).toBe(day + 2_000)
    expect(state.told).toEqual([day])
  })
})
