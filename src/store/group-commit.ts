import {
  type Engine,
  isForEverybody,
  isWorthRetrying,
  type Unit,
  type UnitResult,
} from './engine.ts'

export interface GroupCommitLimits {
  readonly unitsPerBatchMax: number
  readonly unitsWaitingMax: number
  readonly triesMax: number
}

const groupCommitLimits: GroupCommitLimits = {
  unitsPerBatchMax: 256,
  unitsWaitingMax: 20_000,
  triesMax: 5,
}

/** Thrown when the database cannot keep up: the caller answers "try again later" instead of queueing for ever. */
export class GroupCommitFull extends Error {
  override readonly name = 'GroupCommitFull'
}

interface Waiting {
  readonly unit: Unit
  readonly resolve: (result: UnitResult) => void
  readonly reject: (error: unknown) => void
}

/**
 * Collects the units of many requests into one transaction. While a batch is on its way the next one fills, so
 * the batch size follows the load by itself: one unit when idle, hundreds under pressure.
 */
export class GroupCommit {
  readonly #engine: Engine
  readonly #limits: GroupCommitLimits
  #waiting: Waiting[] = []
  #running: Promise<void> | undefined

  constructor(engine: Engine, limits: GroupCommitLimits = groupCommitLimits) {
    this.#engine = engine
    this.#limits = limits
  }

  run(unit: Unit): Promise<UnitResult> {
    if (this.#waiting.length >= this.#limits.unitsWaitingMax) {
      return Promise.reject(new GroupCommitFull('the database cannot keep up with the requests'))
    }
    return new Promise((resolve, reject) => {
      this.#waiting.push({ unit, resolve, reject })
      this.#running ??= this.#drain()
    })
  }

  /** Resolves when nothing is waiting and nothing is under way. */
  async settled(): Promise<void> {
    while (this.#running) await this.#running
  }

  async #drain(): Promise<void> {
    // One turn of the event loop's microtasks: what arrives together is committed together.
    await Promise.resolve()
    while (this.#waiting.length > 0) {
      const batch = this.#waiting.splice(0, this.#limits.unitsPerBatchMax)
      await this.#commit(batch)
    }
    this.#running = undefined
  }

  async #commit(batch: readonly Waiting[]): Promise<void> {
    try {
      const results = await this.#attempt(batch.map((each) => each.unit))
      for (const [index, each] of batch.entries()) each.resolve(results[index] ?? [])
    } catch (error) {
      // A database that does not answer, or takes no writes, fails them all: to ask for each of them in turn would take as
      // many timeouts or connections. Otherwise one bad unit must not fail the others: each is tried on its own.
      if (batch.length === 1 || isForEverybody(error)) for (const each of batch) each.reject(error)
      else for (const each of batch) await this.#commit([each])
    }
  }

  async #attempt(units: readonly Unit[]): Promise<UnitResult[]> {
    for (let tryNumber = 1; ; tryNumber += 1) {
      try {
        return await this.#engine.runUnits(units)
      } catch (error) {
        if (!isWorthRetrying(error) || tryNumber >= this.#limits.triesMax) throw error
      }
    }
  }
}
