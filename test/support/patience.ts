/** How many times slower than an idle machine this one is now, as the test runner has measured. */
const slowness = Math.max(1, Number(process.env['TEST_SLOWNESS'] ?? 1))

/** A limit that holds on an idle machine, as it is on this one: a slow or busy machine is slow, not red. */
export function patience(ms: number): number {
  return Math.ceil(ms * slowness)
}
