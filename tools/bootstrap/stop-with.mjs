/**
 * Ends the launcher with one sentence that a person can act on, and without a stack trace.
 * @param {string} sentence
 * @returns {never}
 */
export function stopWith(sentence) {
  process.stderr.write(`${sentence}\n`)
  process.exit(1)
}
