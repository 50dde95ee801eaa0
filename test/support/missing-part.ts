/**
 * Says loudly that this machine lacks something a group of tests needs, so that nobody takes them
 * for passed. `npm test` repeats the line at its end. In CI nothing may be left out: there it throws.
 */
export function missingPart(name: string, whatIsMissing: string): void {
  const line = `SKIPPED: ${name}: ${whatIsMissing}`
  const isContinuousIntegration = process.env['CI'] === 'true'
  if (isContinuousIntegration) throw new Error(`${line} (CI=true, so this is a failure)`)
  process.stderr.write(`\n${line}\n`)
}
