import { type Engine, TransientStoreError } from '../store/engine.ts'

const shipperLimits = {
  /** What arrives within this time is one transaction. */
  gatherMs: 50,
  recordsPerBatchMax: 1_024,
  tryAgainMs: 250,
  /** A single record that is refused this often, by a database that answers, is put aside. */
  refusalsMax: 5,
  /** At a clean stop the database gets this long; after that the journal keeps what is left for the next start. */
  closeMs: 10_000,
}

interface Parcel {
  readonly text: string
  readonly whenShipped: () => void
}

/**
 * Carries what the journal holds to the database, in order, many records in one transaction. A batch that fails is
 * tried again until it succeeds: applying it twice changes nothing. One record that the database refuses for good
 * must not hold up all others: it is put aside for a person to look at.
 */
export class Shipper {
  readonly #engine: Engine
  readonly #onError: (error: unknown) => void
  readonly #onRefused: (text: string) => void
  #parcels: Parcel[] = []
  #timer: ReturnType<typeof setTimeout> | undefined
  #running: Promise<void> | undefined
  #isClosed = false
  #refusals = 0

  constructor(
    engine: Engine,
    callbacks: { onError: (error: unknown) => void; onRefused: (text: string) => void },
  ) {
    this.#engine = engine
    this.#onError = callbacks.onError
    this.#onRefused = callbacks.onRefused
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
      // A batch that the database does not want because of one record in it is sent again record by record.
      if (error instanceof TransientStoreError) return false
      const first = batch.slice(0, 1)
      if (batch.length > 1) return await this.#ship(first)
      this.#refusals += 1
      if (this.#refusals < shipperLimits.refusalsMax) return false
      for (const parcel of first) this.#onRefused(parcel.text)
    }
    this.#refusals = 0
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
