import type { Nano } from '../../core/money/money.ts'
import type { Clock } from '../../core/time/clock.ts'
import type { LeasePool } from './lease-pool.ts'

const refillRests = {
  /** Delay before the next attempt when too little money is left for a lease in advance. */
  refusedMs: 2_000,
  failedMs: 10_000,
}

export interface RefillDeps {
  readonly clock: Clock
  /** Asks the database for a lease in advance; false when it does not grant one. */
  grant(pool: LeasePool, amountNano: Nano): Promise<boolean>
  giveBack(pool: LeasePool): void
}

interface Refill {
  readonly arrived: Promise<void>
  /** The money was recalled while it was on its way. */
  isRevoked: boolean
}

/**
 * Fetches the next lease of a key while the current one still has money. Requests then do not wait for the database,
 * and a busy key outlasts a database outage. At most one refill runs for each key, and only a request without money
 * waits for it.
 */
export class Refills {
  readonly #deps: RefillDeps
  readonly #running = new Map<LeasePool, Refill>()
  readonly #restUntilMs = new WeakMap<LeasePool, number>()

  constructor(deps: RefillDeps) {
    this.#deps = deps
  }

  isRunning(pool: LeasePool): boolean {
    return this.#running.has(pool)
  }

  /** Starts a refill of a pool that is low. `amountNano` is the hold of one of its requests. */
  begin(pool: LeasePool, amountNano: Nano): void {
    if (this.#running.has(pool)) return
    if (this.#deps.clock.monotonicMs() < (this.#restUntilMs.get(pool) ?? 0)) return
    const { promise, resolve } = Promise.withResolvers<void>()
    const refill = { arrived: promise, isRevoked: false }
    this.#running.set(pool, refill)
    void this.#run(pool, amountNano, refill).then(resolve)
  }

  /** The free money of the pool was recalled, so money on its way to the pool is returned as well. */
  revoke(pool: LeasePool): void {
    const refill = this.#running.get(pool)
    if (refill) refill.isRevoked = true
  }

  /** Resolves when nothing is on its way to the matching pools. */
  async arrived(isMeant: (pool: LeasePool) => boolean): Promise<void> {
    const meant = [...this.#running].filter(([pool]) => isMeant(pool))
    await Promise.all(meant.map(([, refill]) => refill.arrived))
  }

  async #run(pool: LeasePool, amountNano: Nano, refill: Refill): Promise<void> {
    let restMs = 0
    try {
      if (!(await this.#deps.grant(pool, amountNano))) restMs = refillRests.refusedMs
    } catch {
      // No request waits for the refill. A request that needs money and finds none reports the error.
      restMs = refillRests.failedMs
    }
    this.#restUntilMs.set(pool, this.#deps.clock.monotonicMs() + restMs)
    this.#running.delete(pool)
    if (refill.isRevoked) this.#deps.giveBack(pool)
  }
}
