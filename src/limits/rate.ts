import type { RateLevel } from '../core/rate-limit.ts'

/** The length of the period that a rate is stated for. */
const minuteMs = 60_000
/** Sums of fractions are not exact. A wait that is this short is none. */
const roundingMs = 0.001
/** A correction can put a rate into debt, but nobody waits longer than this for the debt of earlier requests. */
const debtMsMax = 5 * minuteMs

/**
 * A rate per minute by the generic cell rate algorithm: the whole limit may be used at once, and it comes back
 * evenly, not at the end of a minute. The state is one number: when all of the limit is available again.
 */
export class Rate {
  #fullAtMs = 0

  /** How long until `count` can be taken; 0: now. More than the limit needs all of it. */
  waitMs(limit: number, count: number, nowMs: number): number {
    const tookMs = (Math.min(count, limit) * minuteMs) / limit
    const waitMs = Math.max(this.#fullAtMs, nowMs) + tookMs - nowMs - minuteMs
    return waitMs > roundingMs ? waitMs : 0
  }

  /** Takes without asking. A request that is larger than the limit takes all of it now, and the rest with `correct`. */
  take(limit: number, count: number, nowMs: number): void {
    this.#move(limit, Math.min(count, limit), nowMs)
  }

  /** Takes more, or gives back what was taken too much. */
  correct(limit: number, difference: number, nowMs: number): void {
    this.#move(limit, difference, nowMs)
  }

  level(limit: number, nowMs: number): RateLevel {
    const fullInMs = Math.max(0, this.#fullAtMs - nowMs)
    const remaining = Math.floor(((minuteMs - fullInMs) * limit) / minuteMs)
    return { limit, remaining: Math.max(0, remaining), fullInMs }
  }

  /** Whether the state is that of a rate that was never used. */
  isFull(nowMs: number): boolean {
    return this.#fullAtMs <= nowMs
  }

  #move(limit: number, count: number, nowMs: number): void {
    const at = Math.max(this.#fullAtMs, nowMs) + (count * minuteMs) / limit
    this.#fullAtMs = Math.min(at, nowMs + minuteMs + debtMsMax)
  }
}
