import type { Payer } from '../ledger.ts'
import { LeasePool } from './lease-pool.ts'

/**
 * The pools of this process. A key has one pool for each owner that it had lately, because a request is charged to the
 * budgets of the owner under whom it was admitted.
 */
export class LeasePools {
  readonly #byKey = new Map<string, LeasePool[]>()
  readonly #onNew: (pool: LeasePool) => void

  constructor(onNew: (pool: LeasePool) => void) {
    this.#onNew = onNew
  }

  of({ keyId, accountId, userId }: Payer): LeasePool {
    const pools = this.#byKey.get(keyId)
    if (pools) for (const pool of pools) if (pool.userId === userId) return pool
    const pool = new LeasePool(keyId, accountId, userId)
    this.#onNew(pool)
    if (pools) pools.push(pool)
    else this.#byKey.set(keyId, [pool])
    return pool
  }

  delete(pool: LeasePool): void {
    const rest = (this.#byKey.get(pool.keyId) ?? []).filter((each) => each !== pool)
    if (rest.length === 0) this.#byKey.delete(pool.keyId)
    else this.#byKey.set(pool.keyId, rest)
  }

  *values(): Generator<LeasePool> {
    for (const pools of this.#byKey.values()) yield* pools
  }
}
