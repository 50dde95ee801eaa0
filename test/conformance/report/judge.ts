const shownMax = 60
const lineLengthMax = 400

/** Collects the problems of many recordings, so that one test reports all of them. */
export class Judge {
  readonly #failures: string[] = []
  #judged = 0

  /** Runs one check: its result is a list of problems, and an exception is one problem. */
  check(name: string, problems: () => readonly string[]): void {
    this.#judged += 1
    try {
      for (const problem of problems()) this.#fail(name, problem)
    } catch (error) {
      this.#fail(name, `threw ${describeError(error)}`)
    }
  }

  /** The same for an asynchronous check. */
  async checkLater(name: string, problems: () => Promise<readonly string[]>): Promise<void> {
    this.#judged += 1
    try {
      for (const problem of await problems()) this.#fail(name, problem)
    } catch (error) {
      this.#fail(name, `threw ${describeError(error)}`)
    }
  }

  /** Throws when there was a problem, or when nothing was checked. */
  verdict(): void {
    if (this.#judged === 0) throw new Error('no recording was judged')
    if (this.#failures.length === 0) return
    const shown = this.#failures.slice(0, shownMax)
    const left = this.#failures.length - shown.length
    const rest = left > 0 ? [`… and ${left} more`] : []
    const head = `${this.#failures.length} problems in ${this.#judged} checks`
    throw new Error([head, ...shown, ...rest].join('\n'))
  }

  #fail(name: string, problem: string): void {
    this.#failures.push(`- ${name}: ${problem}`.slice(0, lineLengthMax))
  }
}

function describeError(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  const place = error.stack?.split('\n').find((line) => line.includes('/src/')) ?? ''
  return `${error.name}: ${error.message} ${place.trim().replace(/^at /, '')}`
}
