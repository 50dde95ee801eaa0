/** The length of the period that a rate is stated for. */
export const minuteMs = 60_000
/** Sums of fractions are not exact. A wait this short counts as no wait. */
export const roundingMs = 0.001
/** A correction can put a rate into debt, but no request waits longer than this for the debt of earlier ones. */
const debtMsMax = 5 * minuteMs
/** The longest time until all of a rate is available again, also after a clock has been set back. */
export const fullInMsMax = minuteMs + debtMsMax
/** How long to wait for a part of a limit, when this process has none of it now. */
const noShareWaitMs = 1_000

/** A count that was taken from a part of a limit. */
interface Taken {
  readonly count: number
  readonly part: number
}

/** How long until `count` can be taken; 0: now. More than the limit needs all of it. */
export function waitFor(limit: number, count: number, fullInMs: number): number {
  if (limit === 0) return noShareWaitMs
  const waitMs = fullInMs + (Math.min(count, limit) * minuteMs) / limit - minuteMs
  return waitMs > roundingMs ? waitMs : 0
}

/** The remaining part of a limit. */
export function remainingOf(limit: number, fullInMs: number): number {
  return Math.max(0, Math.floor(((minuteMs - fullInMs) * limit) / minuteMs + roundingMs))
}

/**
 * A rate per minute by the generic cell rate algorithm: the whole limit may be used at once, and it comes back
 * evenly, not at the end of a minute. The state is one number: when all of the limit is available again.
 */
export class Rate {
  #fullAtMs = 0

  fullInMs(nowMs: number): number {
    const leftMs = this.#fullAtMs - nowMs
    return leftMs <= 0 ? 0 : Math.min(leftMs, fullInMsMax)
  }

  /** Takes without a check, or gives back a negative count. */
  take(limit: number, count: number, nowMs: number): void {
    if (limit === 0) return
    this.#delay((count * minuteMs) / limit, nowMs)
  }

  /** Takes a count of this limit in place of a count that was taken of another limit. */
  replace(former: Taken, limit: number, count: number, nowMs: number): void {
    if (limit === 0) return
    const formerMs = former.part === 0 ? 0 : (former.count * minuteMs) / former.part
    this.#delay((count * minuteMs) / limit - formerMs, nowMs)
  }

  #delay(ms: number, nowMs: number): void {
    this.#fullAtMs = nowMs + Math.min(this.fullInMs(nowMs) + ms, fullInMsMax)
  }

  /**
   * Continues with another limit and the same remaining count; a count above the new limit is lost. If nobody else has
   * used the limit, what is added to it is available at once. A rate of 0 does not know how much was used before it.
   */
  resize(from: number, to: number, nowMs: number, isElseUnused = false): void {
    if (to === 0 || from === to) return
    if (isElseUnused && to > from && (from > 0 || this.fullInMs(nowMs) === 0)) {
      this.#fullAtMs = nowMs + (this.fullInMs(nowMs) * from) / to
      return
    }
    const remaining = ((minuteMs - this.fullInMs(nowMs)) * from) / minuteMs
    const fullInMs = minuteMs - (remaining * minuteMs) / to
    this.#fullAtMs = nowMs + Math.min(Math.max(0, fullInMs), fullInMsMax)
  }
}
