const shownMax = 60
const lineLengthMax = 400

/** Collects what is wrong with many recordings, so that one test tells all of it at once. */
export class Judge {
  readonly #failures: string[] = []
  #judged = 0

  /** Runs one check; what it returns are its problems, what it throws is one. */
  check(name: string, problems: () => readonly string[]): void {
    this.#judged += 1
    try {
      for (const problem of problems()) this.#fail(name, problem)
    } catch (error) {
      this.#fail(name, `threw ${describeError(error)}`)
    }
  }

  /** The same for a check that takes its time. */
  async checkLater(name: string, problems: () => Promise<readonly string[]>): Promise<void> {
    this.#judged += 1
    try {
      for (const problem of await problems()) this.#fail(name, problem)
    } catch (error) {
      this.#fail(name, `threw ${describeError(error)}`)
    }
  }

  /** Throws when there was a failure, or when nothing was judged at all. */
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
