import type { Clock } from './clock.ts'

/** Normal clock adjustments are smaller than this. */
const toleranceMs = 1_000

/**
 * A clock that does not go back. Prices, keys and sessions begin and end at fixed times. If the clock jumped back by a
 * day, prices created today would not be valid yet, and keys that expired today would work again. So time continues
 * from `newestMs`, the latest time on record, by the monotonic clock, until the wall clock has caught up. A wall clock
 * that jumps ahead is followed, because it may be right after a sleep, and is then followed back as well.
 */
export function guardClock(
  clock: Clock,
  newestMs: number,
  onBehind: (behindMs: number) => void,
): Clock {
  let baseMs = Math.max(clock.nowMs(), newestMs) - clock.monotonicMs()
  let isReported = false
  return {
    monotonicMs: clock.monotonicMs,
    nowMs: () => {
      const wallMs = clock.nowMs()
      const monotonicWallMs = baseMs + clock.monotonicMs()
      const aheadMs = wallMs - monotonicWallMs
      if (aheadMs < -toleranceMs) {
        if (!isReported) onBehind(-aheadMs)
        isReported = true
        return Math.floor(monotonicWallMs)
      }
      isReported = false
      // The two clocks drift apart slightly; this corrects the drift.
      if (aheadMs <= toleranceMs) baseMs += aheadMs
      return wallMs
    },
  }
}
