import type { LeasePool } from './lease-pool.ts'

/** Money that is on its way to holds. An answer that ends does not wait for it, and it comes all the same. */
export class MoneyFetches {
  readonly #running = new Set<Promise<unknown>>()

  /** The pool counts it, so that the pool is still there when the money arrives. */
  track<Result>(pool: LeasePool, work: Promise<Result>): Promise<Result> {
    pool.fetches += 1
    const fetch = work.finally(() => {
      pool.fetches -= 1
      this.#running.delete(fetch)
    })
    this.#running.add(fetch)
    return fetch
  }

  /** Resolves when nothing is on its way any more, however it ended. */
  async arrived(): Promise<void> {
    await Promise.allSettled(this.#running)
  }
}
