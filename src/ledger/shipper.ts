import type { Engine } from '../store/engine.ts'

export const shipperLimits = {
  /** What arrives within this time is one transaction. */
  gatherMs: 25,
  recordsPerBatchMax: 1_024,
  tryAgainMs: 250,
  /** At a clean stop the database gets this long; after that the journal keeps what is left for the next start. */
  closeMs: 10_000,
}

interface Parcel {
  readonly text: string
  readonly whenShipped: () => void
}

/**
 * Carries what the journal holds to the database, in order, many records in one transaction. A batch that fails is
 * tried again until it succeeds: applying it twice changes nothing.
 */
export class Shipper {
  readonly #engine: Engine
  readonly #onError: (error: unknown) => void
  #parcels: Parcel[] = []
  #timer: ReturnType<typeof setTimeout> | undefined
  #running: Promise<void> | undefined
  #isClosed = false

  constructor(engine: Engine, onError: (error: unknown) => void) {
    this.#engine = engine
    this.#onError = onError
  }

  get waiting(): number {
    return this.#parcels.length
  }

  push(text: string, whenShipped: () => void): void {
    this.#parcels.push({ text, whenShipped })
    this.#schedule(shipperLimits.gatherMs)
  }

  async shipped(): Promise<void> {
    while (this.waiting > 0) {
      clearTimeout(this.#timer)
      this.#timer = undefined
      this.#running ??= this.#run()
      await this.#running
      if (this.waiting > 0) await pause(shipperLimits.tryAgainMs)
    }
  }

  async close(): Promise<void> {
    await Promise.race([this.shipped(), pause(shipperLimits.closeMs)])
    this.#isClosed = true
    clearTimeout(this.#timer)
  }

  #schedule(delayMs: number): void {
    if (this.#timer !== undefined || this.#running || this.#isClosed) return
    this.#timer = setTimeout(() => {
      this.#timer = undefined
      this.#running ??= this.#run()
    }, delayMs)
  }

  async #run(): Promise<void> {
    let isFailing = false
    while (this.#parcels.length > 0 && !isFailing) {
      const batch = this.#parcels.slice(0, shipperLimits.recordsPerBatchMax)
      isFailing = !(await this.#ship(batch))
    }
    this.#running = undefined
    if (this.#parcels.length > 0) this.#schedule(shipperLimits.tryAgainMs)
  }

  async #ship(batch: readonly Parcel[]): Promise<boolean> {
    try {
      await this.#engine.applyRecords(batch.map((parcel) => parcel.text))
    } catch (error) {
      this.#onError(error)
      return false
    }
    this.#parcels = this.#parcels.slice(batch.length)
    for (const parcel of batch) parcel.whenShipped()
    return true
  }
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, ms)
  })
}
