/** How much of a costly kind of work is done at once, and how much may wait. */
export interface GateLimits {
  readonly runningMax: number
  /** Of each of the two lines. */
  readonly waitingMax: number
}

/**
 * Lets a few pieces of work run at a time; the others wait in one of two lines, of which the preferred is served first.
 * When a line is full there is no waiting: a flood of strangers neither takes the processor nor the place of those who
 * are known.
 */
export class WorkGate {
  readonly #limits: GateLimits
  readonly #preferred: (() => void)[] = []
  readonly #others: (() => void)[] = []
  #running = 0

  constructor(limits: GateLimits) {
    this.#limits = limits
  }

  /** Undefined when the line is full: the work has not begun. */
  run<Result>(isPreferred: boolean, work: () => Promise<Result>): Promise<Result> | undefined {
    const line = isPreferred ? this.#preferred : this.#others
    if (this.#running < this.#limits.runningMax) {
      this.#running += 1
      return this.#carryOut(work)
    }
    if (line.length >= this.#limits.waitingMax) return undefined
    const turn = new Promise<void>((resolve) => {
      line.push(resolve)
    })
    return turn.then(() => this.#carryOut(work))
  }

  async #carryOut<Result>(work: () => Promise<Result>): Promise<Result> {
    try {
      return await work()
    } finally {
      // Whoever is next takes over the place, so that nobody who comes now gets in between.
      const next = this.#preferred.shift() ?? this.#others.shift()
      if (next) next()
      else this.#running -= 1
    }
  }
}
