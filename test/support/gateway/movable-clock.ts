import type { Clock } from '../../../src/core/clock.ts'

/** The real clock with a hand on it. */
export interface MovableClock extends Clock {
  /** Lets waits grow old: what has a limit of that length runs into it. */
  passTime(ms: number): void
  /** Stands still at this moment of the calendar; undefined lets it run again. */
  freezeAt(nowMs: number | undefined): void
}

export function createMovableClock(): MovableClock {
  let passedMs = 0
  let frozenMs: number | undefined
  return {
    nowMs: () => frozenMs ?? Date.now(),
    monotonicMs: () => performance.now() + passedMs,
    passTime: (ms) => {
      passedMs += ms
    },
    freezeAt: (nowMs) => {
      frozenMs = nowMs
    },
  }
}
