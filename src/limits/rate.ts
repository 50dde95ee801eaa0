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

/*
 * A rate per minute by the generic cell rate algorithm: the whole limit may be used at once, and it comes back evenly,
 * not at the end of a minute. The state of a rate is one number, `fullAtMs`: when all of the limit is available again.
 */

/** How long until all of a rate is available again. */
export function fullInMs(fullAtMs: number, nowMs: number): number {
  const leftMs = fullAtMs - nowMs
  return leftMs <= 0 ? 0 : Math.min(leftMs, fullInMsMax)
}

/** Whether a rate admits a request after which all of it would be available again in this time. */
export function isWithinRate(fullInMs: number): boolean {
  return fullInMs - minuteMs <= roundingMs
}

/** The state after taking what takes this long to come back, without a check; negative: after giving it back. */
export function afterTaking(fullAtMs: number, ms: number, nowMs: number): number {
  return nowMs + Math.min(fullInMs(fullAtMs, nowMs) + ms, fullInMsMax)
}

/** The state for another limit with the same remaining count; a count above the new limit is lost. */
export function afterResize(
  fullAtMs: number,
  { from, to }: { readonly from: number; readonly to: number },
  nowMs: number,
): number {
  if (to === 0 || from === to) return fullAtMs
  const leftMs = fullInMs(fullAtMs, nowMs)
  const remaining = ((minuteMs - leftMs) * from) / minuteMs
  return nowMs + Math.min(Math.max(0, minuteMs - (remaining * minuteMs) / to), fullInMsMax)
}

/** How long until `count` can be taken; 0: now. More than the limit needs all of it. */
export function waitFor(limit: number, count: number, leftMs: number): number {
  if (limit === 0) return noShareWaitMs
  const waitMs = leftMs + Math.min(count, limit) * unitMsOf(limit) - minuteMs
  return waitMs > roundingMs ? waitMs : 0
}

/** The remaining part of a limit, with a fraction; negative in debt. */
export function remainderOf(limit: number, leftMs: number): number {
  return (minuteMs - leftMs) * limit * perMinuteMs
}

/** A remainder as a whole number that can be used at once. */
export function wholeRemainder(remainder: number): number {
  return Math.max(0, Math.floor(remainder + roundingMs))
}

/** How much time one of a limit takes to come back. */
export function unitMsOf(limit: number): number {
  return limit === 0 ? 0 : minuteMs / limit
}
