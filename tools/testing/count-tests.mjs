/**
 * Counts from two sources, because neither is complete: the report contains every test that ran, and the printed
 * summary also counts files that failed before their first test. A run without a report (it crashed, or a test ended
 * the process) is a failure whatever its exit code. So is a run without any test, unless it reported what this machine
 * lacks.
 * @param {string | undefined} report
 * @param {string} output
 * @param {number} code
 * @param {boolean} [mayBeEmpty] the tests were chosen by name, and none of these files may have one
 * @returns {{ passed: number, failed: number, skipped: number }}
 */
export function countTests(report, output, code, mayBeEmpty = false) {
  const totals = /<testsuites [^>]*>/.exec(report ?? '')?.[0] ?? ''
  const reportedFailures = attribute(totals, 'failures')
  const skipped = attribute(totals, 'skipped')
  const printedFailures = Number(/^ *(\d+) fail$/m.exec(output)?.[1] ?? 0)
  // Bun writes no report when no test ran.
  const hasOnlySkips = /^Ran 0 tests/m.test(output) && /^SKIPPED: /m.test(output)
  const hasNone = mayBeEmpty && /^Ran 0 tests/m.test(output)
  const hasRun = attribute(totals, 'tests') > 0 || hasOnlySkips || hasNone
  const leastFailures = code === 0 && hasRun ? 0 : 1
  return {
    passed: attribute(totals, 'tests') - reportedFailures - skipped,
    failed: Math.max(reportedFailures, printedFailures, leastFailures),
    skipped: mayBeEmpty ? 0 : skipped,
  }
}

/**
 * @param {string} element
 * @param {string} name
 */
function attribute(element, name) {
  return Number(new RegExp(` ${name}="(\\d+)"`).exec(element)?.[1] ?? 0)
}
