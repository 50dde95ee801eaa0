import { describe, expect, test } from 'bun:test'
import { CountingState } from '../../../src/limits/counting-state.ts'

describe('whether small limits are counted in the database', () => {
  test('while all processes can count', () => {
    const state = new CountingState()
    expect(state.isOn).toBe(false)
    expect(state.update(false, 0)).toBe(false)
    expect([state.update(true, 1), state.isOn]).toEqual([true, true])
    expect(state.update(true, 2)).toBe(false)
    expect([state.update(false, 3), state.isOn]).toEqual([true, false])
  })

  test('not for a while after the database did not count, and longer each time', () => {
    const state = new CountingState()
    let nowMs = 0
    const pauses = Array.from({ length: 6 }, () => {
      state.update(true, nowMs)
      state.lose(nowMs)
      expect(state.isOn).toBe(false)
      const lostAtMs = nowMs
      while (!state.isOn) {
        nowMs += 1_000
        state.update(true, nowMs)
      }
      return (nowMs - lostAtMs) / 1_000
    })
    expect(pauses).toEqual([5, 10, 20, 40, 60, 60])
    // After a minute without a loss the first pause is short again.
    nowMs += 60_000
    state.lose(nowMs)
    expect(state.update(true, nowMs + 4_999)).toBe(false)
    expect(state.update(true, nowMs + 5_000)).toBe(true)
  })
})
