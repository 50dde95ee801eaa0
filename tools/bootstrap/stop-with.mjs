/**
 * Ends the launcher with one sentence a person can act on, and no stack.
 * @param {string} sentence
 * @returns {never}
 */
export function stopWith(sentence) {
  process.stderr.write(`${sentence}\n`)
  process.exit(1)
}
