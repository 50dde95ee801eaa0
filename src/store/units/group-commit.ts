import {
  type Engine,
  isSharedFailure,
  isWorthRetrying,
  type Unit,
  type UnitResult,
} from '../engine.ts'

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

/**
 * Thrown when the database cannot keep up. The caller asks the client to retry later instead of queueing without limit.
 */
export class GroupCommitFull extends Error {
  override readonly name = 'GroupCommitFull'
}

interface Waiting {
  readonly unit: Unit
  readonly resolve: (result: UnitResult) => void
  readonly reject: (error: unknown) => void
}

/**
 * Collects the units of many requests into one transaction. While a batch is running, the next one fills, so the batch
 * size follows the load: one unit when idle, hundreds under load.
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

  /** Resolves when nothing is waiting or running. */
  async settled(): Promise<void> {
    while (this.#running) await this.#running
  }

  async #drain(): Promise<void> {
    // Waits one microtask, so that units that arrive together are committed together.
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
      // A database that does not answer, or accepts no writes, fails the whole batch: retrying each unit would take as
      // many timeouts or connections. Otherwise one bad unit must not fail the others, so each is retried alone.
      if (batch.length === 1 || isSharedFailure(error)) for (const each of batch) each.reject(error)
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
