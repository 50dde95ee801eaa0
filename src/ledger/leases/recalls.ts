import type { Clock } from '../../core/time/clock.ts'
import type { Engine } from '../../store/engine.ts'
import { hasIdleMoneyElsewhere } from './explain-shortage.ts'
import { leaseTimes } from './lease-times.ts'
import type { LeaseOwner } from './lease-units.ts'

interface RecallDeps {
  readonly engine: Engine
  readonly owner: LeaseOwner
  readonly clock: Clock
  /** Asks every other process to return the money of this account that it does not need. */
  recall(accountId: string): Promise<void>
}

/** Asks other processes for idle money of an account, with a limited rate. */
export class Recalls {
  readonly #deps: RecallDeps
  /** When the others were last asked for money of an account, without success or without waiting. */
  readonly #askedMs = new Map<string, number>()

  constructor(deps: RecallDeps) {
    this.#deps = deps
  }

  /**
   * Asks, and waits until `isGranted` finds the returned money. A repeated call shortly after a failed one returns at
   * once, because the others need the money that they still have.
   */
  async wait(accountId: string, isGranted: () => Promise<boolean>): Promise<boolean> {
    const { clock, engine, owner } = this.#deps
    const beganMs = clock.monotonicMs()
    if (this.#sinceMs(accountId, beganMs) < leaseTimes.recallRestMs) return false
    let isAsked = false
    while (clock.monotonicMs() - beganMs < leaseTimes.recallMs) {
      // The idle money may have returned to the database since the last query.
      if (!(await hasIdleMoneyElsewhere(engine, accountId, owner))) return isGranted()
      if (!isAsked) await this.#deps.recall(accountId)
      isAsked = true
      await pause(leaseTimes.recallLookMs)
      if (await isGranted()) return true
    }
    this.#askedMs.set(accountId, clock.monotonicMs())
    return false
  }

  /** Asks without waiting. */
  async ask(accountId: string): Promise<void> {
    const { clock, engine, owner } = this.#deps
    const nowMs = clock.monotonicMs()
    if (this.#sinceMs(accountId, nowMs) < leaseTimes.recallAgainMs) return
    if (!(await hasIdleMoneyElsewhere(engine, accountId, owner))) return
    this.#askedMs.set(accountId, nowMs)
    await this.#deps.recall(accountId)
  }

  /** Forgets expired times. */
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
