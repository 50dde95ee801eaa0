import { DenseSet, type DenseSetMember } from '../../core/runtime/dense-set.ts'

interface TalliedHold extends DenseSetMember {
  /** Time at which the request arrived. */
  readonly atMs: number
}

/** The facts that a process knows about its own holds without a query. */
export interface LedgerStatus {
  /** Arrival time of the request that has held money the longest. */
  readonly oldestHoldAtMs: number | undefined
  /** Since when the database lacks an entry that is in the journal, accurate to the second. */
  readonly unshippedSinceMs: number | undefined
  /** Admitted requests whose entry is not in the database yet. */
  readonly admitsWithoutEntry: number
}

/** Counts the holds of one process on their way from admission to entry. */
export class HoldTally {
  readonly #open = new DenseSet<TalliedHold>()
  #admitted = 0
  #written = 0
  #shipped = 0
  /** How many settlements were written by which time. Entries are shipped in the order in which they were written. */
  #samples: { readonly written: number; readonly atMs: number }[] = []

  get open(): number {
    return this.#open.size
  }

  admit(hold: TalliedHold): void {
    this.#open.add(hold)
    this.#admitted += 1
  }

  /** Undoes `admit` when the admission could not be written. */
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

  /** Called every second, because a timestamp for each request would cost more than it is worth. */
  sample(nowMs: number): void {
    const last = this.#samples.at(-1)
    if (this.#written > this.#shipped && this.#written > (last?.written ?? 0)) {
      this.#samples.push({ written: this.#written, atMs: nowMs })
    }
    this.#samples = this.#samples.filter(({ written }) => written > this.#shipped)
  }

  status(): LedgerStatus {
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
