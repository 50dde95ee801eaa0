import type { Engine } from '../../store/engine.ts'
import { applyOrSetAside, type SetAsideRecords } from './apply-or-set-aside.ts'

const shipperLimits = {
  /** What arrives within this time is one transaction: the more requests of a key are in it, the less each costs. */
  gatherMs: 100,
  requestsPerBatchMax: 4_096,
  /** The wait after a failure; it doubles with each one that follows. */
  tryAgainMs: 250,
  tryAgainMsMax: 5_000,
  /** At a clean stop the database gets this long at most; then the journal keeps what is left for the next start. */
  closeMsMax: 10_000,
}

interface Parcel {
  /** The later it came, the higher. */
  readonly number: number
  /** A JSON list of records. */
  readonly text: string
  /** How many requests they are about. */
  readonly requests: number
  readonly whenShipped: () => void
}

export interface ShipperDeps {
  readonly engine: Engine
  readonly setAside: SetAsideRecords
  onError(error: unknown): void
  /** Somebody waits for each parcel: what arrives while one batch is under way is the next. */
  readonly isImmediate: boolean
}

/**
 * Carries what the journal holds to the database, in order, many records in one transaction. A batch that fails is
 * tried again until it succeeds, whatever the reason is: applying it twice changes nothing. Only records that the
 * database refuses because of what is in them are set aside.
 */
export class Shipper {
  readonly #deps: ShipperDeps
  readonly #gatherMs: number
  #parcels: Parcel[] = []
  #timer: ReturnType<typeof setTimeout> | undefined
  #isRunning = false
  /** Resolves when the batches under way, or the next ones, have been taken or have failed. */
  #round = Promise.withResolvers<void>()
  #failuresInRow = 0
  /** A database that has no time for many requests at once may have it for fewer. */
  #requestsPerBatch = shipperLimits.requestsPerBatchMax
  #isClosed = false
  #waiting = 0
  #pushed = 0

  constructor(deps: ShipperDeps) {
    this.#deps = deps
    this.#gatherMs = deps.isImmediate ? 0 : shipperLimits.gatherMs
  }

  get waiting(): number {
    return this.#waiting
  }

  push(text: string, requests: number, whenShipped: () => void): void {
    this.#pushed += 1
    this.#parcels.push({ number: this.#pushed, text, requests, whenShipped })
    this.#waiting += requests
    this.#schedule()
  }

  /** Resolves when the database has all that was pushed until now; rejects when that is left to the next start. */
  async shipped(): Promise<void> {
    const last = this.#pushed
    while ((this.#parcels[0]?.number ?? Number.POSITIVE_INFINITY) <= last) {
      if (this.#isClosed) throw new Error('the journal has been closed')
      if (this.#failuresInRow === 0) this.#runNow()
      await this.#round.promise
    }
  }

  async close(withinMs: number): Promise<void> {
    const late = Promise.withResolvers<void>()
    const timer = setTimeout(late.resolve, Math.min(withinMs, shipperLimits.closeMsMax))
    if (this.#parcels.length > 0) this.#runNow()
    await Promise.race([this.shipped(), late.promise])
    clearTimeout(timer)
    clearTimeout(this.#timer)
    this.#isClosed = true
    this.#round.resolve()
  }

  #schedule(): void {
    if (this.#timer !== undefined || this.#isRunning || this.#isClosed) return
    this.#timer = setTimeout(() => this.#runNow(), this.#waitMs())
  }

  #waitMs(): number {
    if (this.#failuresInRow === 0) return this.#gatherMs
    const { tryAgainMs, tryAgainMsMax } = shipperLimits
    return Math.min(tryAgainMs * 2 ** (this.#failuresInRow - 1), tryAgainMsMax)
  }

  #runNow(): void {
    clearTimeout(this.#timer)
    this.#timer = undefined
    if (!this.#isRunning) void this.#run()
  }

  /**
   * What came in while a batch was under way waits for more to come, unless it is a whole batch already: one that is
   * sent as soon as the last is through holds a handful of requests, and costs as much as one of hundreds.
   */
  async #run(): Promise<void> {
    this.#isRunning = true
    const numberDue = this.#pushed
    let failure: { readonly error: unknown } | undefined
    do failure = await this.#ship(this.#nextBatch())
    while (!failure && this.#isDue(numberDue))
    this.#isRunning = false
    if (this.#parcels.length > 0) this.#schedule()
    const round = this.#round
    this.#round = Promise.withResolvers()
    round.resolve()
    if (failure) this.#deps.onError(failure.error)
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
      return requests > this.#requestsPerBatch
    }
    const end = this.#parcels.findIndex((parcel, index) => isOver(parcel) && index > 0)
    return this.#parcels.slice(0, end < 0 ? this.#parcels.length : end)
  }

  async #ship(batch: readonly Parcel[]): Promise<{ readonly error: unknown } | undefined> {
    const { engine, setAside } = this.#deps
    const texts = batch.map((parcel) => parcel.text)
    try {
      await applyOrSetAside(engine, texts, setAside)
    } catch (error) {
      this.#failuresInRow += 1
      const requests = batch.reduce((sum, parcel) => sum + parcel.requests, 0)
      this.#requestsPerBatch = Math.max(1, requests >> 1)
      return { error }
    }
    this.#failuresInRow = 0
    const { requestsPerBatchMax } = shipperLimits
    this.#requestsPerBatch = Math.min(requestsPerBatchMax, this.#requestsPerBatch * 2)
    this.#parcels = this.#parcels.slice(batch.length)
    return this.#conclude(batch)
  }

  /** The database has them: whatever goes wrong now, for one of them, must not bring them there again. */
  #conclude(batch: readonly Parcel[]): { readonly error: unknown } | undefined {
    let failure: { readonly error: unknown } | undefined
    for (const parcel of batch) {
      this.#waiting -= parcel.requests
      try {
        parcel.whenShipped()
      } catch (error) {
        failure = { error }
      }
    }
    return failure
  }
}
