/** The length of the period that a rate is stated for. */
export const minuteMs = 60_000
/** A multiplication is cheaper than a division. */
const perMinuteMs = 1 / minuteMs
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
  const waitMs = fullInMs + Math.min(count, limit) * unitMsOf(limit) - minuteMs
  return waitMs > roundingMs ? waitMs : 0
}

/** The remaining part of a limit, with a fraction; negative in debt. */
export function remainderOf(limit: number, fullInMs: number): number {
  return (minuteMs - fullInMs) * limit * perMinuteMs
}

/** A remainder as a whole number that can be used at once. */
export function wholeRemainder(remainder: number): number {
  return Math.max(0, Math.floor(remainder + roundingMs))
}

/** How much time one of a limit takes to come back. */
export function unitMsOf(limit: number): number {
  return limit === 0 ? 0 : minuteMs / limit
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

  /** Whether what takes this long to come back can be taken now. */
  hasRoomFor(ms: number, nowMs: number): boolean {
    return this.fullInMs(nowMs) + ms - minuteMs <= roundingMs
  }

  /** Takes what takes this long to come back, without a check; negative: gives it back. */
  take(ms: number, nowMs: number): void {
    this.#fullAtMs = nowMs + Math.min(this.fullInMs(nowMs) + ms, fullInMsMax)
  }

  /** Takes a count of this limit in place of a count that was taken of another limit. */
  replace(former: Taken, limit: number, count: number, nowMs: number): void {
    if (limit === 0) return
    const formerMs = former.count * unitMsOf(former.part)
    this.take(count * unitMsOf(limit) - formerMs, nowMs)
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
