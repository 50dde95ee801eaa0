import type { UsedLimit } from './allotment.ts'
import type { AnnouncedDemands } from './announced-demands.ts'
import { minuteMs } from './rate.ts'
import { isSmall } from './small-limits.ts'

/**
 * What processes had used of the limits before they knew of each other, until it has come back. The others must not
 * begin with it, and the counters of the process that has used it no longer show all of it, because its part became
 * smaller.
 */
export class RecentJoin {
  readonly #elapsedMs: () => number
  #own: ReadonlyMap<string, number> = new Map()
  #others: ReadonlyMap<string, number> = new Map()
  #ownAtMs = 0
  #othersAtMs = 0
  #isJoining = true

  constructor(elapsedMs: () => number) {
    this.#elapsedMs = elapsedMs
  }

  /** Other processes have come. Returns what this one had used alone of each large limit, which the others must know. */
  begin(used: Iterable<UsedLimit>): ReadonlyMap<string, number> {
    const large = [...used].filter(({ kind, limit }) => !isSmall(kind, limit))
    this.#own = new Map(large.map(({ name, kind, count }) => [`${kind} ${name}`, count]))
    this.#ownAtMs = this.#elapsedMs()
    return this.#own
  }

  /** This process joins the others, which will tell it what they had used. */
  join(): void {
    this.#isJoining = true
  }

  /** The others have told this process. Later demands are not what was used before. */
  learn(demands: AnnouncedDemands): void {
    if (!this.#isJoining) return
    this.#isJoining = false
    this.#others = demands.demandsOfOthers()
    this.#othersAtMs = this.#elapsedMs()
  }

  hasUsed(name: string, limit: number): boolean {
    return this.#leftOf(this.#own.get(name), limit, this.#ownAtMs) > 0
  }

  usedByOthers(name: string, limit: number): number {
    return this.#leftOf(this.#others.get(name), limit, this.#othersAtMs)
  }

  #leftOf(used: number | undefined, limit: number, sinceMs: number): number {
    if (used === undefined) return 0
    return Math.max(0, used - (limit * (this.#elapsedMs() - sinceMs)) / minuteMs)
  }
}
