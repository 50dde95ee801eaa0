import { describe, expect, test } from 'bun:test'
import { CountingState } from '../../../src/limits/counting-state.ts'

describe('whether small limits are counted in the database', () => {
  test('the database is told before it counts, and others learn how far the process is', () => {
    const state = new CountingState()
    const now = () => [state.isTold, state.isOn, state.demand]
    expect([state.update('off', 0), ...now()]).toEqual([false, false, false, 0])
    expect([state.update('told', 0), ...now()]).toEqual([true, true, false, 1])
    expect([state.update('on', 0), ...now()]).toEqual([true, true, true, 1])
    expect([state.update('on', 0), ...now()]).toEqual([false, true, true, 1])
    expect([state.update('told', 0), ...now()]).toEqual([true, true, false, 1])
    expect([state.update('off', 0), ...now()]).toEqual([true, false, false, 0])
    state.lose(false, 0)
    expect([state.update('told', 1), ...now()]).toEqual([false, false, false, 0])
  })

  test('since when limits are divided: not while the others may use all that the database has left', () => {
    const state = new CountingState()
    const now = () => [state.isOff, state.dividedAtMs]
    state.update('on', 0)
    state.lose(false, 1_000)
    expect(now()).toEqual([true, undefined])
    state.update('divided', 2_000)
    expect(now()).toEqual([false, 2_000])
    // The others have not read that the process tries again.
    state.update('told', 6_000)
    expect(now()).toEqual([false, undefined])
    state.lose(true, 8_000)
    expect(now()).toEqual([false, 2_000])
    state.update('told', 20_000)
    state.lose(false, 20_000)
    state.update('divided', 21_000)
    expect(now()).toEqual([false, 21_000])
  })

  test('not for a while after the database did not count, and longer each time', () => {
    const state = new CountingState()
    let nowMs = 0
    const pauses = Array.from({ length: 6 }, () => {
      state.update('on', nowMs)
      state.lose(false, nowMs)
      expect([state.isTold, state.isOn]).toEqual([false, false])
      const lostAtMs = nowMs
      while (!state.isOn) {
        nowMs += 1_000
        state.update('on', nowMs)
      }
      return (nowMs - lostAtMs) / 1_000
    })
    expect(pauses).toEqual([5, 10, 20, 40, 60, 60])
    // After a minute without a loss the first pause is short again.
    nowMs += 60_000
    state.lose(false, nowMs)
    expect(state.update('told', nowMs + 4_999)).toBe(false)
    expect(state.update('told', nowMs + 5_000)).toBe(true)
  })
})
