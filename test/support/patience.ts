/** How many times slower than an idle machine this machine is now, as measured by the test runner. */
const slowness = Math.max(1, Number(process.env['TEST_SLOWNESS'] ?? 1))

/** Scales a limit for an idle machine to this machine, so that tests do not fail on a slow or busy machine. */
export function patience(ms: number): number {
  return Math.ceil(ms * slowness)
}
