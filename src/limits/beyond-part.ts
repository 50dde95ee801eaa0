import { minuteMs } from './rate.ts'

/**
 * What a process has used of a rate beyond its present part, because its part was larger. It comes back at the rate of
 * the rest of the limit. If nobody else has used the limit, it is missing when the part becomes larger again.
 */
export class BeyondPart {
  #count = 0
  #atMs = 0
  #perMinute = 0

  set(count: number, { limit, part }: { limit: number; part: number }, nowMs: number): void {
    this.#count = Math.max(0, count)
    this.#atMs = nowMs
    this.#perMinute = limit - part
  }

  left(nowMs: number): number {
    if (this.#count === 0) return 0
    return Math.max(0, this.#count - ((nowMs - this.#atMs) * this.#perMinute) / minuteMs)
  }
}
