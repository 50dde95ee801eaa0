import type { Clock } from '../../core/clock.ts'
import type { Nano } from '../../core/money.ts'
import type { LeasePool } from './lease-pool.ts'

const refillRests = {
  /** There is too little left to take some before it is needed: asked again after this. */
  refusedMs: 2_000,
  failedMs: 10_000,
}

export interface RefillDeps {
  readonly clock: Clock
  /** Asks the database for a lease for later; false when it has none to spare. */
  grant(pool: LeasePool, amountNano: Nano): Promise<boolean>
  giveBack(pool: LeasePool): void
}

interface Refill {
  readonly arrived: Promise<void>
  /** Its money was asked back while it was on its way. */
  isRevoked: boolean
}

/**
 * Brings a key its next lease while the last one still has some of its money, so that requests do not wait for the
 * database, and a busy key outlasts one that is away. One at a time for each key; nobody waits for it who need not.
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

  /** The pool has less than it should; `amountNano` is what one of its requests sets aside. */
  begin(pool: LeasePool, amountNano: Nano): void {
    if (this.#running.has(pool)) return
    if (this.#deps.clock.monotonicMs() < (this.#restUntilMs.get(pool) ?? 0)) return
    const { promise, resolve } = Promise.withResolvers<void>()
    const refill = { arrived: promise, isRevoked: false }
    this.#running.set(pool, refill)
    void this.#run(pool, amountNano, refill).then(resolve)
  }

  /** What is free in the pool has been asked back: what is on its way to it is not kept either. */
  revoke(pool: LeasePool): void {
    const refill = this.#running.get(pool)
    if (refill) refill.isRevoked = true
  }

  /** Resolves when nothing is on its way to the pools in question. */
  async arrived(isMeant: (pool: LeasePool) => boolean): Promise<void> {
    const meant = [...this.#running].filter(([pool]) => isMeant(pool))
    await Promise.all(meant.map(([, refill]) => refill.arrived))
  }

  async #run(pool: LeasePool, amountNano: Nano, refill: Refill): Promise<void> {
    let restMs = 0
    try {
      if (!(await this.#deps.grant(pool, amountNano))) restMs = refillRests.refusedMs
    } catch {
      // Nobody waits for it. Whoever needs money, and finds none, says what is wrong.
      restMs = refillRests.failedMs
    }
    this.#restUntilMs.set(pool, this.#deps.clock.monotonicMs() + restMs)
    this.#running.delete(pool)
    if (refill.isRevoked) this.#deps.giveBack(pool)
  }
}
