import type { LogEvent } from '../../core/telemetry/log-event.ts'
import type { Unit, UnitResult } from '../../store/engine.ts'
import type { LeasePool } from './lease-pool.ts'
import { leaseTimes } from './lease-times.ts'

interface ReturnDeps {
  readonly commits: { run(unit: Unit): Promise<UnitResult> }
  onError(event: LogEvent, error: unknown): void
}

/** Maximum number of leases with an unknown grant that this process closes itself. Recovery closes the rest. */
const looseMax = 10_000

/**
 * Returns units taken out of pools to the database, and repeats the failed ones later. The units of one pool go one
 * after the other: a lease that is closed later may have covered a debt that was returned before, and must not arrive
 * first.
 */
export class LeaseReturns {
  readonly #deps: ReturnDeps
  readonly #owed = new Map<LeasePool, Unit>()
  /** Units that belong to no pool and so need no order. */
  readonly #loose = new Set<Unit>()
  #isSomeLost = false
  readonly #running = new Map<LeasePool, Promise<boolean>>()
  readonly #next = new Map<LeasePool, Promise<boolean>>()
  #round: Promise<boolean> | undefined
  #failuresInRow = 0
  #againAtMs = 0

  constructor(deps: ReturnDeps) {
    this.#deps = deps
  }

  /** Nothing is left to return to the database. */
  get isEmpty(): boolean {
    return this.#owed.size === 0 && this.#loose.size === 0 && !this.#isSomeLost
  }

  /**
   * Takes money out of a pool and returns it, at once or after the running return; false when there was nothing to
   * take, or when an earlier unit of the pool must go first.
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

  /** Registers a lease that the database may or may not have granted. The next `returnOwed` closes it. */
  owe(unit: Unit): void {
    if (this.#loose.size < looseMax) this.#loose.add(unit)
    else this.#isSomeLost = true
  }

  /**
   * Returns owed units, with exponential backoff while the database does not accept them. Concurrent callers share one
   * round. True when at least one unit reached the database.
   */
  async returnDue(nowMs: number): Promise<boolean> {
    if (!this.#round && nowMs < this.#againAtMs) return false
    if (this.#owed.size + this.#loose.size === 0) return false
    this.#round ??= this.returnOwed().finally(() => {
      this.#round = undefined
      this.#againAtMs = this.#failuresInRow === 0 ? 0 : nowMs + this.#waitMs()
    })
    return this.#round
  }

  /**
   * Repeating a unit that did reach the database changes nothing. The first unit shows whether the database accepts the
   * others.
   */
  async returnOwed(): Promise<boolean> {
    const due = [...this.#owed].filter(([pool]) => !this.#running.has(pool))
    const works = [
      ...due.map(
        ([pool, unit]) =>
          () =>
            this.#return(pool, unit),
      ),
      ...[...this.#loose].map((unit) => () => this.#returnLoose(unit)),
    ]
    const [first, ...others] = works
    if (!first) return false
    const taken = [await first()]
    if (taken[0] === true) taken.push(...(await Promise.all(others.map((work) => work()))))
    this.#failuresInRow = taken.includes(false) ? this.#failuresInRow + 1 : 0
    return taken.includes(true)
  }

  #waitMs(): number {
    const { returnAgainMs, returnAgainMsMax } = leaseTimes
    return Math.min(returnAgainMs * 2 ** (this.#failuresInRow - 1), returnAgainMsMax)
  }

  async #start(pool: LeasePool, take: () => Unit | undefined): Promise<boolean> {
    const unit = this.#owed.has(pool) ? undefined : take()
    if (!unit) return false
    await this.#return(pool, unit)
    return true
  }

  #return(pool: LeasePool, unit: Unit): Promise<boolean> {
    const running = this.#attempt(pool, unit).finally(() => this.#running.delete(pool))
    this.#running.set(pool, running)
    return running
  }

  async #returnLoose(unit: Unit): Promise<boolean> {
    const isTaken = await this.#run(unit)
    if (isTaken) this.#loose.delete(unit)
    return isTaken
  }

  async #attempt(pool: LeasePool, unit: Unit): Promise<boolean> {
    const isTaken = await this.#run(unit)
    if (isTaken) this.#owed.delete(pool)
    else this.#owed.set(pool, unit)
    return isTaken
  }

  async #run(unit: Unit): Promise<boolean> {
    try {
      await this.#deps.commits.run(unit)
      return true
    } catch (error) {
      this.#deps.onError('lease_not_returned', error)
      return false
    }
  }
}
