/** The browser that the test runner has found; undefined when there is none. */
export function findChromium(): string | undefined {
  return process.env['TEST_CHROMIUM']
}
