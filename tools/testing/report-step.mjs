/**
 * Reports a step: one line when it passed, its whole output when it failed.
 * @param {string} name
 * @param {import('./run-check.mjs').StepResult} result
 * @param {number} elapsedMs the time of all its parts together, which ran beside others
 */
export function reportStep(name, { passed, failed, output, repeat = [] }, elapsedMs) {
  const duration = `${(elapsedMs / 1000).toFixed(1)} s`.padStart(8)
  const isFailed = failed > 0
  const counts = isFailed ? `${passed} passed, ${failed} failed` : `${passed} passed`
  if (isFailed) {
    process.stdout.write(`\n──── ${name} ────\n${output.trimEnd()}\n────\n`)
    for (const command of repeat) process.stdout.write(`To repeat: ${command}\n`)
  }
  process.stdout.write(`${isFailed ? '✗' : '✓'} ${name.padEnd(16)}${duration}  ${counts}\n`)
  if (isFailed) return
  for (const line of [...skippedLines(output), ...noteLines(output), ...figureLines(output)]) {
    process.stdout.write(`  ${line}\n`)
  }
}

/**
 * Facts about this run that are neither a skip nor a failure: test/support/note-once.ts.
 * @param {string} output
 * @returns {string[]}
 */
function noteLines(output) {
  return [...new Set(output.split('\n').filter((line) => line.startsWith('NOTE: ')))]
}

/**
 * Measurements of a test are worth reading even when it passed.
 * @param {string} output
 * @returns {string[]}
 */
function figureLines(output) {
  const mark = 'FIGURES: '
  return output
    .split('\n')
    .flatMap((line) => (line.startsWith(mark) ? line.slice(mark.length) : []))
}

/**
 * @param {string} output
 * @returns {string[]}
 */
export function skippedLines(output) {
  return [...new Set(output.split('\n').filter((line) => line.startsWith('SKIPPED: ')))]
}
