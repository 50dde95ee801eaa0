import { type Engine, TransientStoreError } from '../store/engine.ts'
import { parseJson } from '../wire/json.ts'

const shipperLimits = {
  /** What arrives within this time is one transaction: the more requests of a key are in it, the less each costs. */
  gatherMs: 100,
  requestsPerBatchMax: 4_096,
  tryAgainMs: 250,
  /** A single record that is refused this often, by a database that answers, is put aside. */
  refusalsMax: 5,
  /** At a clean stop the database gets this long; after that the journal keeps what is left for the next start. */
  closeMs: 10_000,
}

interface Parcel {
  /** The later it came, the higher. */
  readonly number: number
  /** A JSON list of records. */
  readonly text: string
  /** How many requests they are about. */
  readonly requests: number
  readonly whenShipped: (() => void) | undefined
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
  readonly #gatherMs: number
  #parcels: Parcel[] = []
  #timer: ReturnType<typeof setTimeout> | undefined
  /** Whether the database took what it was given. */
  #running: Promise<boolean> | undefined
  #isClosed = false
  #refusals = 0
  #waiting = 0
  #pushed = 0

  constructor(
    engine: Engine,
    options: {
      onError: (error: unknown) => void
      onRefused: (text: string) => void
      /** Somebody waits for each parcel: what arrives while one batch is under way is the next. */
      isImmediate?: boolean
    },
  ) {
    this.#engine = engine
    this.#onError = options.onError
    this.#onRefused = options.onRefused
    this.#gatherMs = options.isImmediate === true ? 0 : shipperLimits.gatherMs
  }

  get waiting(): number {
    return this.#waiting
  }

  push(text: string, requests: number, whenShipped: () => void): void {
    this.#pushed += 1
    this.#parcels.push({ number: this.#pushed, text, requests, whenShipped })
    this.#waiting += requests
    this.#schedule(this.#gatherMs)
  }

  async shipped(): Promise<void> {
    while (this.#parcels.length > 0) {
      clearTimeout(this.#timer)
      this.#timer = undefined
      this.#running ??= this.#run()
      const isWell = await this.#running
      if (!isWell) await pause(shipperLimits.tryAgainMs)
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

  /**
   * What came in while a batch was under way waits for more to come, unless it is a whole batch already: one that is
   * sent as soon as the last is through holds a handful of requests, and costs as much as one of hundreds.
   */
  async #run(): Promise<boolean> {
    const numberDue = this.#pushed
    let isWell = true
    do isWell = await this.#ship(this.#nextBatch())
    while (isWell && this.#isDue(numberDue))
    this.#running = undefined
    if (this.#parcels.length > 0) this.#schedule(isWell ? this.#gatherMs : shipperLimits.tryAgainMs)
    return isWell
  }

  #isDue(numberDue: number): boolean {
    const [first] = this.#parcels
    if (!first) return false
    if (first.number <= numberDue || this.#gatherMs === 0) return true
    return this.#waiting >= shipperLimits.requestsPerBatchMax
  }

  #nextBatch(): Parcel[] {
    let requests = 0
    const isOver = (parcel: Parcel): boolean => {
      requests += parcel.requests
      return requests > shipperLimits.requestsPerBatchMax
    }
    const end = this.#parcels.findIndex((parcel, index) => isOver(parcel) && index > 0)
    return this.#parcels.slice(0, end < 0 ? this.#parcels.length : end)
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
      if (this.#unpackFirst()) return true
      this.#refusals += 1
      if (this.#refusals < shipperLimits.refusalsMax) return false
      for (const parcel of first) this.#onRefused(parcel.text)
    }
    this.#refusals = 0
    this.#parcels = this.#parcels.slice(batch.length)
    for (const parcel of batch) {
      this.#waiting -= parcel.requests
      parcel.whenShipped?.()
    }
    return true
  }

  /** Makes the first parcel one for each of its records; false when it has only one. */
  #unpackFirst(): boolean {
    const [first, ...others] = this.#parcels
    const records = first && parseJson(first.text)
    if (!first || !Array.isArray(records) || records.length < 2) return false
    const parcels = records.map(
      (record): Parcel => ({
        number: first.number,
        text: JSON.stringify([record]),
        requests: 0,
        whenShipped: undefined,
      }),
    )
    // The requests are shipped when the last of their records is.
    parcels.push({ ...first, text: '[]' })
    this.#parcels = [...parcels, ...others]
    return true
  }
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, ms)
  })
}
