import type { Clock } from '../../../src/core/time/clock.ts'

const stepEveryMs = 50

/** The real clock, which a test can move. */
export interface MovableClock extends Clock {
  /** Advances all waits: a wait with a limit of this length times out. */
  passTime(ms: number): void
  /** Advances the time repeatedly until the promise settles, because a wait may begin only a moment from now. */
  passTimeUntil<Value>(coming: Promise<Value>, stepMs: number): Promise<Value>
  /**
   * Stops the time of all waits until the returned function is called: no limit expires, however slow the machine is.
   */
  standStill(): () => void
  /** Freezes the calendar time at this moment; undefined lets it run again. */
  freezeAt(nowMs: number | undefined): void
}

export function createMovableClock(): MovableClock {
  let passedMs = 0
  let frozenMs: number | undefined
  let stoodAtMs: number | undefined
  const passTimeUntil = async <Value>(coming: Promise<Value>, stepMs: number): Promise<Value> => {
    const timer = setInterval(() => {
      passedMs += stepMs
    }, stepEveryMs)
    return coming.finally(() => clearInterval(timer))
  }
  return {
    nowMs: () => frozenMs ?? Date.now(),
    monotonicMs: () => (stoodAtMs ?? performance.now()) + passedMs,
    passTime: (ms) => {
      passedMs += ms
    },
    passTimeUntil,
    standStill: () => {
      const beganMs = performance.now()
      stoodAtMs = beganMs
      return () => {
        passedMs -= performance.now() - beganMs
        stoodAtMs = undefined
      }
    },
    freezeAt: (nowMs) => {
      frozenMs = nowMs
    },
  }
}
