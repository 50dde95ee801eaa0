/** Sums of fractions are not exact: less than this above a whole second is no further second. */
const roundingMs = 0.001

/** Rounded up, so that nobody comes back too early. */
export function wholeSeconds(ms: number): number {
  return Math.ceil((ms - roundingMs) / 1_000)
}
