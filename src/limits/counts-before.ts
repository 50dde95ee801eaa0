import type { Engine } from '../store/engine.ts'
import type { RateKind } from './allotment.ts'
import { readCounts } from './demand-rows.ts'

/**
 * What the database had counted of small limits when this process became alone. A process that is alone does not ask
 * the database, but what the others have used must not be available again.
 */
export class CountsBefore {
  readonly #elapsedMs: () => number
  #counts: Awaited<ReturnType<typeof readCounts>> | undefined
  #readAtMs = 0

  constructor(elapsedMs: () => number) {
    this.#elapsedMs = elapsedMs
  }

  /** This process is alone. Tells whether it was not before. */
  async begin(engine: Engine): Promise<boolean> {
    if (this.#counts) return false
    this.#counts = await readCounts(engine)
    this.#readAtMs = this.#elapsedMs()
    return true
  }

  /** There are other processes. */
  end(): void {
    this.#counts = undefined
  }

  /** How long it takes until all of a limit is available again. */
  leftMs(name: string, kind: RateKind): number {
    const counted = this.#counts?.get(name)?.[kind] ?? 0
    return Math.max(0, counted - (this.#elapsedMs() - this.#readAtMs))
  }
}
