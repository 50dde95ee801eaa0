const spinnerFrames = ['⠋', '⠙', '⠹', '⠸', '⠼', '⠴', '⠦', '⠧', '⠇', '⠏']
const spinnerEveryMs = 100
const lineEveryMs = 5000

/**
 * Shows that something is under way: a spinner on a terminal, a line every few seconds elsewhere.
 * Everything goes to standard error, so that the output of a command stays clean for pipes.
 * @param {string} text
 * @param {{ announce?: boolean }} [options] announce: print the text once before the first tick
 * @returns {{ stop(): number }} stop clears the spinner and returns the elapsed milliseconds
 */
export function startProgress(text, { announce = true } = {}) {
  const startedAt = performance.now()
  const isTerminal = process.stderr.isTTY === true
  const elapsedMs = () => performance.now() - startedAt
  const seconds = () => Math.round(elapsedMs() / 1000)
  let frame = 0

  if (announce && !isTerminal) process.stderr.write(`${text} …\n`)
  const draw = () => {
    if (isTerminal) {
      frame = (frame + 1) % spinnerFrames.length
      process.stderr.write(`\r\x1b[2K${spinnerFrames[frame]} ${text} … ${seconds()} s`)
    } else {
      process.stderr.write(`  … ${text}: ${seconds()} s so far\n`)
    }
  }
  if (isTerminal) draw()
  const timer = setInterval(draw, isTerminal ? spinnerEveryMs : lineEveryMs)
  timer.unref()

  return {
    stop() {
      clearInterval(timer)
      if (isTerminal) process.stderr.write('\r\x1b[2K')
      return elapsedMs()
    },
  }
}
