import { replicaTimes } from './replica.ts'

/** Two of its signs of life may be late before a process takes the database for out of reach. */
const gapMs = replicaTimes.seenEveryMs * 3

/**
 * Whether the silence of others is their own. After the database was out of reach nobody has been seen for a while,
 * and whoever comes back first must not take all others for dead.
 */
export class SilenceWatch {
  #sinceMs = 0
  #lastMs = Number.NEGATIVE_INFINITY

  /** This process has shown life, at a time of its monotonic clock. */
  see(nowMs: number): void {
    if (nowMs - this.#lastMs > gapMs) this.#sinceMs = nowMs
    this.#lastMs = nowMs
  }

  isTrusted(nowMs: number): boolean {
    return nowMs - this.#lastMs <= gapMs && nowMs - this.#sinceMs >= replicaTimes.deadAfterMs
  }
}
