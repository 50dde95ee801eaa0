import { type Nano, smallerOf } from '../core/money.ts'
import type { LeaseHold } from './lease-hold.ts'
import type { LeasePool } from './lease-pool.ts'
import type { HoldVerdict, HoldWish, Refusal } from './ledger.ts'

/** How those who wait get money. */
export interface MoneySource {
  /** Out of what the pool has. */
  take(pool: LeasePool, wish: HoldWish): LeaseHold | undefined
  /** From wherever it is to be had; else the reason why not. */
  obtain(pool: LeasePool, wish: HoldWish): Promise<LeaseHold | Refusal>
  /** Asks the database once more: why not even so little can be had, or undefined when it can. */
  stillShort(pool: LeasePool, leastNano: Nano): Promise<((amountNano: Nano) => Refusal) | undefined>
}

interface Waiter {
  readonly wish: HoldWish
  readonly resolve: (verdict: HoldVerdict) => void
  readonly reject: (error: unknown) => void
}

/** The requests that found their key's pool empty, those of one key in the order in which they came. */
export class WaitingLines {
  readonly #source: MoneySource
  readonly #lines = new Map<LeasePool, Waiter[]>()

  constructor(source: MoneySource) {
    this.#source = source
  }

  has(pool: LeasePool): boolean {
    return this.#lines.has(pool)
  }

  join(pool: LeasePool, wish: HoldWish): Promise<HoldVerdict> {
    return new Promise((resolve, reject) => {
      const waiter = { wish, resolve, reject }
      const line = this.#lines.get(pool)
      if (line) {
        line.push(waiter)
      } else {
        const newLine = [waiter]
        this.#lines.set(pool, newLine)
        void this.#serve(pool, newLine)
      }
    })
  }

  /** One request after the other, each as soon as there is money for it. */
  async #serve(pool: LeasePool, line: Waiter[]): Promise<void> {
    for (let first = line[0]; first; first = line[0]) {
      const { wish, resolve, reject } = first
      let isRefused = false
      try {
        const found = this.#source.take(pool, wish) ?? (await this.#source.obtain(pool, wish))
        isRefused = 'reason' in found
        this.#leave(pool, line, 1)
        resolve('reason' in found ? { ok: false, refusal: found } : { ok: true, hold: found })
      } catch (error) {
        this.#leave(pool, line, 1)
        reject(error)
      }
      if (isRefused && line.length > 0) await this.#refuseTogether(pool, line)
    }
  }

  /** Nobody who has an answer may find that others still wait: the line ends before its last one goes on. */
  #leave(pool: LeasePool, line: Waiter[], count: number): void {
    line.splice(0, count)
    if (line.length === 0) this.#lines.delete(pool)
  }

  /**
   * What one did not get most likely none of those behind it will. The database is asked once for all of them, after
   * the last of them has come, for the least that any of them needs: nobody is refused what was there.
   */
  async #refuseTogether(pool: LeasePool, line: Waiter[]): Promise<void> {
    const together = [...line]
    const leastNano = together
      .map(({ wish }) => wish.amountNano)
      .reduce((least, amountNano) => smallerOf(least, amountNano))
    let refusalOf: ((amountNano: Nano) => Refusal) | undefined
    try {
      refusalOf = await this.#source.stillShort(pool, leastNano)
    } catch {
      // Each of them hears of it on its own.
    }
    if (!refusalOf) return
    this.#leave(pool, line, together.length)
    for (const { wish, resolve, reject } of together) {
      try {
        const hold = this.#source.take(pool, wish)
        resolve(hold ? { ok: true, hold } : { ok: false, refusal: refusalOf(wish.amountNano) })
      } catch (error) {
        reject(error)
      }
    }
  }
}
