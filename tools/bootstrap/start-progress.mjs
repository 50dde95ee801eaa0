const spinnerFrames = ['⠋', '⠙', '⠹', '⠸', '⠼', '⠴', '⠦', '⠧', '⠇', '⠏']
const spinnerEveryMs = 100
const lineEveryMsUsually = 5000
const columnsUsually = 80

/**
 * The running tasks, in the order of their starts. A terminal has one line for progress and shows the task that began
 * last. @type {object[]}
 */
const underWay = []

/**
 * Shows progress: a spinner on a terminal, a line every few seconds elsewhere. Everything goes to standard error, so
 * that the output of a command stays clean for pipes.
 * @param {string | (() => string)} text what is under way, or a function that says what is at the moment
 * @param {{ announce?: boolean, lineEveryMs?: number }} [options] announce: print the text once before the first tick
 * @returns {{ pause(): void, stop(): number }} pause clears the spinner until the next tick, so that a line can be
 *   printed; stop clears it for good and returns the elapsed milliseconds
 */
export function startProgress(text, { announce = true, lineEveryMs = lineEveryMsUsually } = {}) {
  const startedAt = performance.now()
  const isTerminal = process.stderr.isTTY === true
  const elapsedMs = () => performance.now() - startedAt
  const seconds = () => Math.round(elapsedMs() / 1000)
  const words = () => (typeof text === 'function' ? text() : text)
  const turn = {}
  let frame = 0

  underWay.push(turn)
  if (announce && !isTerminal) process.stderr.write(`${words()} …\n`)
  const draw = () => {
    if (isTerminal) {
      if (underWay.at(-1) !== turn) return
      frame = (frame + 1) % spinnerFrames.length
      process.stderr.write(
        `\r\x1b[2K${spinnerFrames[frame]} ${fitted(words(), ` … ${seconds()} s`)}`,
      )
    } else {
      process.stderr.write(`  … ${words()}: ${seconds()} s so far\n`)
    }
  }
  if (isTerminal) draw()
  const timer = setInterval(draw, isTerminal ? spinnerEveryMs : lineEveryMs)
  timer.unref()

  const pause = () => {
    if (isTerminal) process.stderr.write('\r\x1b[2K')
  }
  return {
    pause,
    stop() {
      clearInterval(timer)
      underWay.splice(underWay.indexOf(turn), 1)
      pause()
      return elapsedMs()
    },
  }
}

/**
 * A line that wraps cannot be overwritten, so the text is cut to the width of the terminal.
 * @param {string} text
 * @param {string} end
 */
function fitted(text, end) {
  // A terminal of unknown width reports 0.
  const columns = Math.max(0, process.stderr.columns ?? 0)
  const room = (columns === 0 ? columnsUsually : columns) - end.length - 3
  return `${text.length > room ? `${text.slice(0, Math.max(0, room - 1))}…` : text}${end}`
}
