import type { LeasePool } from './lease-pool.ts'

/** Fetches of money for holds. A response that ends does not wait for its fetch; the money arrives anyway. */
export class MoneyFetches {
  readonly #running = new Set<Promise<unknown>>()

  /** The pool counts the fetch, so that the pool still exists when the money arrives. */
  track<Result>(pool: LeasePool, work: Promise<Result>): Promise<Result> {
    pool.fetches += 1
    const fetch = work.finally(() => {
      pool.fetches -= 1
      this.#running.delete(fetch)
    })
    this.#running.add(fetch)
    return fetch
  }

  /** Resolves when no fetch is running, whether the fetches succeeded or failed. */
  async arrived(): Promise<void> {
    await Promise.allSettled(this.#running)
  }
}
