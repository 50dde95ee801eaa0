import { describe, expect, test } from 'bun:test'
import { SleepAwareClock } from '../../../src/ledger/sleep-aware-clock.ts'

/** Both clocks run, and can be set separately. */
function openClocks() {
  const at = { monotonicMs: 5_000, wallMs: 1_000_000 }
  const time = new SleepAwareClock({ nowMs: () => at.wallMs, monotonicMs: () => at.monotonicMs })
  const pass = (monotonicMs: number, wallMs: number): void => {
    at.monotonicMs += monotonicMs
    at.wallMs += wallMs
  }
  return { time, pass }
}

describe('time that includes sleep', () => {
  const cases = [
    { name: 'both clocks run', steps: [[100, 100]], passed: 100 },
    { name: 'the process was stopped', steps: [[600_000, 600_000]], passed: 600_000 },
    { name: 'the machine slept', steps: [[10, 600_010]], passed: 600_010 },
    {
      name: 'the machine slept twice',
      steps: [
        [10, 60_010],
        [10, 60_010],
      ],
      passed: 120_020,
    },
    { name: 'the wall clock was set back', steps: [[100, -3_600_000]], passed: 100 },
    {
      name: 'the wall clock was set back, and the machine slept for as long',
      steps: [
        [0, -3_600_000],
        [10, 3_600_010],
      ],
      passed: 3_600_010,
    },
    {
      name: 'the wall clock is a little ahead',
      steps: [
        [100, 900],
        [100, 100],
      ],
      passed: 200,
    },
  ]
  test.each(cases)('$name', ({ steps, passed }) => {
    const { time, pass } = openClocks()
    const beganMs = time.nowMs()
    for (const [monotonicMs = 0, wallMs = 0] of steps) {
      pass(monotonicMs, wallMs)
      time.nowMs()
    }
    expect(time.nowMs() - beganMs).toBe(passed)
  })

  test('readings while a clock only ticks add up to no more than the elapsed time', () => {
    const { time, pass } = openClocks()
    const beganMs = time.nowMs()
    for (let tick = 0; tick < 10_000; tick += 1) {
      pass(0.1, tick % 10 === 0 ? 1 : 0)
      time.nowMs()
    }
    expect(time.nowMs() - beganMs).toBeCloseTo(1_000, 3)
  })
})
