import type { Clock } from '../../../src/core/clock.ts'

const stepEveryMs = 50

/** The real clock with a hand on it. */
export interface MovableClock extends Clock {
  /** Lets waits grow old: what has a limit of that length runs into it. */
  passTime(ms: number): void
  /** Passes time again and again until this has come: what waits may begin to wait only a moment from now. */
  passTimeUntil<Value>(coming: Promise<Value>, stepMs: number): Promise<Value>
  /** Stands still at this moment of the calendar; undefined lets it run again. */
  freezeAt(nowMs: number | undefined): void
}

export function createMovableClock(): MovableClock {
  let passedMs = 0
  let frozenMs: number | undefined
  const passTimeUntil = async <Value>(coming: Promise<Value>, stepMs: number): Promise<Value> => {
    const timer = setInterval(() => {
      passedMs += stepMs
    }, stepEveryMs)
    return coming.finally(() => clearInterval(timer))
  }
  return {
    nowMs: () => frozenMs ?? Date.now(),
    monotonicMs: () => performance.now() + passedMs,
    passTime: (ms) => {
      passedMs += ms
    },
    passTimeUntil,
    freezeAt: (nowMs) => {
      frozenMs = nowMs
    },
  }
}
