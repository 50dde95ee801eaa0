import type { UsedLimit } from './allotment.ts'
import type { AnnouncedDemands } from './announced-demands.ts'
import { minuteMs } from './rate.ts'
import { isSmall } from './small-limits.ts'

/** What other processes had used of the limits before this one joined them, until it has come back. */
export class UsedBeforeJoin {
  readonly #elapsedMs: () => number
  #used: ReadonlyMap<string, number> = new Map()
  #usedAtMs = 0
  #isJoining = true

  constructor(elapsedMs: () => number) {
    this.#elapsedMs = elapsedMs
  }

  /** This process joins the others, which will tell it what they had used. */
  join(): void {
    this.#isJoining = true
  }

  /** The others have told this process. Later demands are not what was used before. */
  learn(demands: AnnouncedDemands): void {
    if (!this.#isJoining) return
    this.#isJoining = false
    this.#used = demands.demandsOfOthers()
    this.#usedAtMs = this.#elapsedMs()
  }

  usedByOthers(name: string, limit: number): number {
    const used = this.#used.get(name) ?? 0
    return Math.max(0, used - (limit * (this.#elapsedMs() - this.#usedAtMs)) / minuteMs)
  }
}

/** What a process has used alone of each large limit, and has to tell those who come. */
export function usedAlone(used: Iterable<UsedLimit>): [name: string, count: number][] {
  return [...used].flatMap(({ name, kind, limit, count }) =>
    isSmall(kind, limit) ? [] : [[`${kind} ${name}`, count]],
  )
}
