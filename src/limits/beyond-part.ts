import { minuteMs } from './rate.ts'

/**
 * What a process has used of a rate beyond its present part, because its part was larger. It comes back at the rate of
 * the rest of the limit. If nobody else has used the limit, it is missing when the part becomes larger again.
 */
export class BeyondPart {
  #count = 0
  #fromMs = 0
  #perMinute = 0

  /** Begins to come back at `fromMs`, and not before what is left from earlier. */
  set(count: number, { limit, part }: { limit: number; part: number }, fromMs: number): void {
    this.#fromMs = this.#count > 0 ? Math.max(this.#fromMs, fromMs) : fromMs
    this.#count = Math.max(0, count)
    this.#perMinute = limit - part
  }

  left(nowMs: number): number {
    if (this.#count === 0) return 0
    const passedMs = Math.max(0, nowMs - this.#fromMs)
    return Math.max(0, this.#count - (passedMs * this.#perMinute) / minuteMs)
  }
}
