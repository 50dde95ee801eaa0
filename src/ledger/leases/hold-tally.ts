import { DenseSet, type DenseSetMember } from '../../core/dense-set.ts'

interface TalliedHold extends DenseSetMember {
  /** When the request came. */
  readonly atMs: number
}

/** What one process knows about its own holds, without asking anybody. */
export interface LedgerVitals {
  /** When the request came that has held money the longest. */
  readonly oldestHoldAtMs: number | undefined
  /** Since when the database lacks an entry that is written down, to the second. */
  readonly unshippedSinceMs: number | undefined
  /** Requests that were admitted, and whose entry the database has not got yet. */
  readonly admitsWithoutEntry: number
}

/** Counts the holds of one process on their way from admission to entry. */
export class HoldTally {
  readonly #open = new DenseSet<TalliedHold>()
  #admitted = 0
  #written = 0
  #shipped = 0
  /** How many settlements were written by when. Entries are shipped in the order in which they were written. */
  #samples: { readonly written: number; readonly atMs: number }[] = []

  get open(): number {
    return this.#open.size
  }

  admit(hold: TalliedHold): void {
    this.#open.add(hold)
    this.#admitted += 1
  }

  /** The admission could not be written: it never was. */
  withdraw(hold: TalliedHold): void {
    this.#open.remove(hold)
    this.#admitted -= 1
  }

  write(hold: TalliedHold): void {
    this.#open.remove(hold)
    this.#written += 1
  }

  ship(): void {
    this.#shipped += 1
  }

  /** To be called every second: a time for each request would cost more than it tells. */
  sample(nowMs: number): void {
    const last = this.#samples.at(-1)
    if (this.#written > this.#shipped && this.#written > (last?.written ?? 0)) {
      this.#samples.push({ written: this.#written, atMs: nowMs })
    }
    this.#samples = this.#samples.filter(({ written }) => written > this.#shipped)
  }

  vitals(): LedgerVitals {
    const waiting = this.#samples.find(({ written }) => written > this.#shipped)
    return {
      oldestHoldAtMs: oldestOf(this.#open.list()),
      unshippedSinceMs: waiting?.atMs,
      admitsWithoutEntry: this.#admitted - this.#shipped,
    }
  }
}

function oldestOf(holds: readonly TalliedHold[]): number | undefined {
  let oldestMs: number | undefined
  for (const { atMs } of holds) oldestMs = Math.min(atMs, oldestMs ?? atMs)
  return oldestMs
}
