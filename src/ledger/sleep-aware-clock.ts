import type { Clock } from '../core/time/clock.ts'

/** Ordinary clock corrections are smaller than this. */
const sleepMsMin = 1_000

/**
 * Time that includes the sleep of the machine. The monotonic clock may stand still while a machine sleeps; the wall
 * clock then moves ahead of it, and the difference is added. If the wall clock was only set forward, too much time
 * passes here, and the caller asks the database once too often. If it was set back, nothing happens.
 */
export class SleepAwareClock {
  readonly #clock: Clock
  #aheadMs: number
  #sleptMs = 0

  constructor(clock: Clock) {
    this.#clock = clock
    this.#aheadMs = clock.nowMs() - clock.monotonicMs()
  }

  nowMs(): number {
    const monotonicMs = this.#clock.monotonicMs()
    const aheadMs = this.#clock.nowMs() - monotonicMs
    if (aheadMs - this.#aheadMs > sleepMsMin) this.#sleptMs += aheadMs - this.#aheadMs
    else if (aheadMs >= this.#aheadMs) return monotonicMs + this.#sleptMs
    this.#aheadMs = aheadMs
    return monotonicMs + this.#sleptMs
  }
}
