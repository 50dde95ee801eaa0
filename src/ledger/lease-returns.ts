import type { Unit, UnitResult } from '../store/engine.ts'
import type { LeasePool } from './lease-pool.ts'

interface ReturnParts {
  readonly commits: { run(unit: Unit): Promise<UnitResult> }
  onError(event: string, error: unknown): void
}

/**
 * Brings what is taken out of pools to the database; what cannot be brought now, as soon as it can. Of each pool one
 * after the other: what is closed later may have been the cover of a debt that went home before, and must not get
 * there first.
 */
export class LeaseReturns {
  readonly #parts: ReturnParts
  readonly #owed = new Map<LeasePool, Unit>()
  /** What stands in no pool, and so in no order. */
  #loose: Unit[] = []
  readonly #running = new Map<LeasePool, Promise<void>>()
  readonly #next = new Map<LeasePool, Promise<boolean>>()

  constructor(parts: ReturnParts) {
    this.#parts = parts
  }

  /** Nothing is owed to the database. */
  get isEmpty(): boolean {
    return this.#owed.size === 0 && this.#loose.length === 0
  }

  /**
   * Takes something out of a pool and returns it, at once or after what is under way; false when there was nothing, or
   * when something is owed that has to go first.
   */
  give(pool: LeasePool, take: () => Unit | undefined): Promise<boolean> {
    const waiting = this.#next.get(pool)
    if (waiting) return waiting
    const running = this.#running.get(pool)
    if (!running) return this.#start(pool, take)
    const next = running.then(() => {
      this.#next.delete(pool)
      return this.give(pool, take)
    })
    this.#next.set(pool, next)
    return next
  }

  /** Closes, when `bringOwed` is next called, a lease that the database may have granted or not. */
  owe(unit: Unit): void {
    this.#loose.push(unit)
  }

  /** To repeat what did reach the database changes nothing there. */
  async bringOwed(): Promise<void> {
    const due = [...this.#owed].filter(([pool]) => !this.#running.has(pool))
    await Promise.all([
      ...due.map(([pool, unit]) => this.#bring(pool, unit)),
      ...this.#loose.splice(0).map((unit) => this.#bringLoose(unit)),
    ])
  }

  async #start(pool: LeasePool, take: () => Unit | undefined): Promise<boolean> {
    const unit = this.#owed.has(pool) ? undefined : take()
    if (!unit) return false
    await this.#bring(pool, unit)
    return true
  }

  #bring(pool: LeasePool, unit: Unit): Promise<void> {
    const running = this.#attempt(pool, unit).finally(() => this.#running.delete(pool))
    this.#running.set(pool, running)
    return running
  }

  async #bringLoose(unit: Unit): Promise<void> {
    try {
      await this.#parts.commits.run(unit)
    } catch (error) {
      this.#loose.push(unit)
      this.#parts.onError('lease_not_returned', error)
    }
  }

  async #attempt(pool: LeasePool, unit: Unit): Promise<void> {
    try {
      await this.#parts.commits.run(unit)
      this.#owed.delete(pool)
    } catch (error) {
      this.#owed.set(pool, unit)
      this.#parts.onError('lease_not_returned', error)
    }
  }
}
