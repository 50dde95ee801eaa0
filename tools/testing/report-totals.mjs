/**
 * The last lines of a run. Continuous integration reads the very last line.
 * @param {import('./run-steps.mjs').Totals} totals
 * @param {number} elapsedMs
 */
export function reportTotals({ passed, failed, skipped, skips, repeat }, elapsedMs) {
  process.stdout.write(`\n${(elapsedMs / 1000).toFixed(0)} s in all\n`)
  for (const line of skips) process.stdout.write(`${line}\n`)
  for (const command of repeat) process.stdout.write(`To repeat: ${command}\n`)
  const skippedPart = skipped > 0 ? `, ${skipped} skipped` : ''
  process.stdout.write(`${passed} passed, ${failed} failed${skippedPart}\n`)
}
