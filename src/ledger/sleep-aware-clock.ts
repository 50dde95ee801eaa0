import type { Clock } from '../core/clock.ts'

/** Clocks that are only set right differ by less. */
const sleepMsMin = 1_000

/**
 * Time that never misses any. The monotonic clock may stand still while a machine sleeps; the clock on the wall has
 * then moved on without it, and what it says counts. Where it was only set forward, more time has passed here than
 * anywhere else, which makes its owner ask once too often; where it was set back, nothing happens.
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
