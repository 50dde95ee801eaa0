import type { Clock } from '../../core/time/clock.ts'
import type { Engine } from '../../store/engine.ts'
import { hasIdleMoneyElsewhere } from './explain-shortage.ts'
import type { LeasePool } from './lease-pool.ts'
import { leaseTimes } from './lease-times.ts'
import type { LeaseOwner } from './lease-units.ts'
import type { ShortFunds } from './short-funds.ts'

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
  /** When the others were last asked at all. Requests of several keys do not ask one after the other. */
  readonly #toldMs = new Map<string, number>()

  constructor(deps: RecallDeps) {
    this.#deps = deps
  }

  /**
   * Asks, and waits until `isGranted` finds the returned money. A repeated call shortly after a failed one returns at
   * once, because the others need the money that they still have.
   */
  async wait(
    pool: LeasePool,
    short: ShortFunds,
    isGranted: () => Promise<boolean>,
  ): Promise<boolean> {
    const { clock, engine, owner } = this.#deps
    const { accountId } = pool
    const beganMs = clock.monotonicMs()
    if (this.#sinceMs(accountId, beganMs) < leaseTimes.recallRestMs) return false
    let isAsked = false
    while (clock.monotonicMs() - beganMs < leaseTimes.recallMs) {
      // The idle money may have returned to the database since the last query.
      if (!(await hasIdleMoneyElsewhere(engine, pool, owner, short))) return isGranted()
      if (!isAsked) isAsked = await this.#tell(accountId)
      await pause(leaseTimes.recallLookMs)
      if (await isGranted()) return true
    }
    this.#askedMs.set(accountId, clock.monotonicMs())
    return false
  }

  /** Asks without waiting. */
  async ask(pool: LeasePool, short: ShortFunds): Promise<void> {
    const { clock, engine, owner } = this.#deps
    const { accountId } = pool
    const nowMs = clock.monotonicMs()
    if (this.#sinceMs(accountId, nowMs) < leaseTimes.recallAgainMs) return
    if (!(await hasIdleMoneyElsewhere(engine, pool, owner, short))) return
    this.#askedMs.set(accountId, nowMs)
    await this.#tell(accountId)
  }

  /** False when the others were told so recently that they are still returning money. */
  async #tell(accountId: string): Promise<boolean> {
    const nowMs = this.#deps.clock.monotonicMs()
    if (
      nowMs - (this.#toldMs.get(accountId) ?? Number.NEGATIVE_INFINITY) <
      leaseTimes.recallAgainMs
    )
      return false
    this.#toldMs.set(accountId, nowMs)
    await this.#deps.recall(accountId)
    return true
  }

  /** Forgets expired times. */
  tidy(nowMs: number): void {
    for (const times of [this.#askedMs, this.#toldMs])
      for (const [accountId, ms] of times)
        if (nowMs - ms >= leaseTimes.recallRestMs) times.delete(accountId)
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
