/** Limits for expensive work. */
export interface GateLimits {
  readonly runningMax: number
  /** Per queue. */
  readonly waitingMax: number
}

/**
 * Runs a few tasks at a time. Others wait in one of two queues, and the preferred queue goes first. If a queue is full,
 * a task is refused: a flood of unknown clients takes neither the processor nor the places of known ones.
 */
export class WorkGate {
  readonly #limits: GateLimits
  readonly #preferred: (() => void)[] = []
  readonly #others: (() => void)[] = []
  #running = 0

  constructor(limits: GateLimits) {
    this.#limits = limits
  }

  /** Undefined if the queue is full; the work has not started. */
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
      // The next task takes over the slot directly, so that a new task cannot get ahead of it.
      const next = this.#preferred.shift() ?? this.#others.shift()
      if (next) next()
      else this.#running -= 1
    }
  }
}
