import type { Clock } from './clock.ts'

/** Clocks are set right by less than this all the time. */
const toleranceMs = 1_000

/**
 * A clock that is not set back. Prices, keys and sessions begin and end at moments: were the clock to jump back by a
 * day, every price made today would not be valid yet, and every key that ended today would work again. So time goes on
 * from `newestMs`, the newest moment that anybody has seen, by the monotonic clock, until the clock on the wall has
 * caught up. A clock that is ahead is followed, because it may be right after a sleep, and followed back as well.
 */
export function guardClock(
  clock: Clock,
  newestMs: number,
  onBehind: (behindMs: number) => void,
): Clock {
  let baseMs = Math.max(clock.nowMs(), newestMs) - clock.monotonicMs()
  let isTold = false
  return {
    monotonicMs: clock.monotonicMs,
    nowMs: () => {
      const wallMs = clock.nowMs()
      const steadyMs = baseMs + clock.monotonicMs()
      const aheadMs = wallMs - steadyMs
      if (aheadMs < -toleranceMs) {
        if (!isTold) onBehind(-aheadMs)
        isTold = true
        return Math.floor(steadyMs)
      }
      isTold = false
      // The two clocks drift apart by little, and that is made up for.
      if (aheadMs <= toleranceMs) baseMs += aheadMs
      return wallMs
    },
  }
}
