import type { Clock } from '../../core/clock.ts'
import type { Engine } from '../../store/engine.ts'
import { idleElsewhere } from './explain-shortage.ts'
import { leaseTimes } from './lease-times.ts'
import type { LeaseOwner } from './lease-units.ts'

interface RecallDeps {
  readonly engine: Engine
  readonly owner: LeaseOwner
  readonly clock: Clock
  /** Asks every other process to give back what it does not need of this account. */
  recall(accountId: string): Promise<void>
}

/** Asks other processes for the money of an account that lies idle with them, not more often than helps. */
export class Recalls {
  readonly #deps: RecallDeps
  /** When they were last asked for money of an account, in vain or without waiting for it. */
  readonly #askedMs = new Map<string, number>()

  constructor(deps: RecallDeps) {
    this.#deps = deps
  }

  /**
   * Asks, and waits until `isGranted` finds what came of it. Whoever asks again right after that was in vain is not
   * kept waiting: what the others still have, they need.
   */
  async wait(accountId: string, isGranted: () => Promise<boolean>): Promise<boolean> {
    const { clock, engine, owner } = this.#deps
    const beganMs = clock.monotonicMs()
    if (this.#sinceMs(accountId, beganMs) < leaseTimes.recallRestMs) return false
    let isAsked = false
    while (clock.monotonicMs() - beganMs < leaseTimes.recallMs) {
      // What they had may have come home since the purse was last asked.
      if (!(await idleElsewhere(engine, accountId, owner))) return isGranted()
      if (!isAsked) await this.#deps.recall(accountId)
      isAsked = true
      await pause(leaseTimes.recallLookMs)
      if (await isGranted()) return true
    }
    this.#askedMs.set(accountId, clock.monotonicMs())
    return false
  }

  /** Asks, and waits for nothing. */
  async ask(accountId: string): Promise<void> {
    const { clock, engine, owner } = this.#deps
    const nowMs = clock.monotonicMs()
    if (this.#sinceMs(accountId, nowMs) < leaseTimes.recallAgainMs) return
    if (!(await idleElsewhere(engine, accountId, owner))) return
    this.#askedMs.set(accountId, nowMs)
    await this.#deps.recall(accountId)
  }

  /** Forgets what no longer matters. */
  tidy(nowMs: number): void {
    for (const [accountId, ms] of this.#askedMs) {
      if (nowMs - ms >= leaseTimes.recallRestMs) this.#askedMs.delete(accountId)
    }
  }

  #sinceMs(accountId: string, nowMs: number): number {
    return nowMs - (this.#askedMs.get(accountId) ?? Number.NEGATIVE_INFINITY)
  }
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, ms)
  })
}
