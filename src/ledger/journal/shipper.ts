import type { Engine } from '../../store/engine.ts'
import { applyOrSetAside, type SetAsideRecords } from './apply-or-set-aside.ts'

const shipperLimits = {
  /**
   * Requests that arrive within this time share a transaction. The more requests of a key it has, the less each one
   * costs.
   */
  gatherMs: 100,
  requestsPerBatchMax: 4_096,
  /** Delay after a failure; it doubles with each further failure. */
  tryAgainMs: 250,
  tryAgainMsMax: 5_000,
  /** At a clean stop, shipping may take this long at most. The journal keeps the rest for the next start. */
  closeMsMax: 10_000,
}

interface Shipment {
  /** Later shipments have higher numbers. */
  readonly number: number
  readonly text: string
  /** Number of requests that the records belong to. */
  readonly requests: number
  readonly whenShipped: () => void
}

export interface ShipperDeps {
  readonly engine: Engine
  readonly setAside: SetAsideRecords
  onError(error: unknown): void
  /** A response waits for each shipment: shipments that arrive while a batch is running form the next batch. */
  readonly isImmediate: boolean
}

/**
 * Ships the journal's records to the database, in order, many in one transaction. A failed batch is repeated until it
 * succeeds, whatever the reason: applying a batch twice changes nothing. Only records that the database refuses because
 * of their content are set aside.
 */
export class Shipper {
  readonly #deps: ShipperDeps
  readonly #gatherMs: number
  #shipments: Shipment[] = []
  #timer: ReturnType<typeof setTimeout> | undefined
  #isRunning = false
  /** Resolves when the running batches, or else the next ones, have succeeded or failed. */
  #round = Promise.withResolvers<void>()
  #failuresInRow = 0
  /** Halved after a failure: a database that times out on many requests may manage fewer. */
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
    this.#shipments.push({ number: this.#pushed, text, requests, whenShipped })
    this.#waiting += requests
    this.#schedule()
  }

  /** Resolves when the database has everything pushed so far; rejects when the rest is left to the next start. */
  async shipped(): Promise<void> {
    const last = this.#pushed
    while ((this.#shipments[0]?.number ?? Number.POSITIVE_INFINITY) <= last) {
      if (this.#isClosed) throw new Error('the journal has been closed')
      if (this.#failuresInRow === 0) this.#runNow()
      await this.#round.promise
    }
  }

  async close(withinMs: number): Promise<void> {
    const late = Promise.withResolvers<void>()
    const timer = setTimeout(late.resolve, Math.min(withinMs, shipperLimits.closeMsMax))
    if (this.#shipments.length > 0) this.#runNow()
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
   * Requests that arrive during a batch wait for more, unless they already fill a batch. A batch sent right after the
   * last one would have a handful of requests and cost as much as one with hundreds.
   */
  async #run(): Promise<void> {
    this.#isRunning = true
    const numberDue = this.#pushed
    let failure: { readonly error: unknown } | undefined
    do failure = await this.#ship(this.#nextBatch())
    while (!failure && this.#isDue(numberDue))
    this.#isRunning = false
    if (this.#shipments.length > 0) this.#schedule()
    const round = this.#round
    this.#round = Promise.withResolvers()
    round.resolve()
    if (failure) this.#deps.onError(failure.error)
  }

  #isDue(numberDue: number): boolean {
    const [first] = this.#shipments
    if (!first) return false
    if (first.number <= numberDue || this.#gatherMs === 0) return true
    return this.#waiting >= shipperLimits.requestsPerBatchMax
  }

  #nextBatch(): Shipment[] {
    let requests = 0
    const isOver = (shipment: Shipment): boolean => {
      requests += shipment.requests
      return requests > this.#requestsPerBatch
    }
    const end = this.#shipments.findIndex((shipment, index) => isOver(shipment) && index > 0)
    return this.#shipments.slice(0, end < 0 ? this.#shipments.length : end)
  }

  async #ship(batch: readonly Shipment[]): Promise<{ readonly error: unknown } | undefined> {
    const { engine, setAside } = this.#deps
    const texts = batch.map((shipment) => shipment.text)
    try {
      await applyOrSetAside(engine, texts, setAside)
    } catch (error) {
      this.#failuresInRow += 1
      const requests = batch.reduce((sum, shipment) => sum + shipment.requests, 0)
      this.#requestsPerBatch = Math.max(1, requests >> 1)
      return { error }
    }
    this.#failuresInRow = 0
    const { requestsPerBatchMax } = shipperLimits
    this.#requestsPerBatch = Math.min(requestsPerBatchMax, this.#requestsPerBatch * 2)
    this.#shipments = this.#shipments.slice(batch.length)
    return this.#conclude(batch)
  }

  /** The database has the batch. An error from now on must not ship it again. */
  #conclude(batch: readonly Shipment[]): { readonly error: unknown } | undefined {
    let failure: { readonly error: unknown } | undefined
    for (const shipment of batch) {
      this.#waiting -= shipment.requests
      try {
        shipment.whenShipped()
      } catch (error) {
        failure = { error }
      }
    }
    return failure
  }
}
