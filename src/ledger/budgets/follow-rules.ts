import type { LogEvent } from '../../core/telemetry/log-event.ts'
import type { LeaseGrants } from '../leases/lease-grants.ts'
import type { LeasePool } from '../leases/lease-pool.ts'

interface FollowDeps {
  readonly grants: Pick<LeaseGrants, 'refreshRules'>
  giveBack(pool: LeasePool): void
  onError(event: LogEvent, error: unknown): void
}

/**
 * Reads the limits of a pool again when its key, member or account has changed, and repeats this until the database has
 * answered.
 */
export class RuleFollower {
  readonly #deps: FollowDeps
  readonly #changed = new Set<LeasePool>()

  constructor(deps: FollowDeps) {
    this.#deps = deps
  }

  follow(pool: LeasePool): void {
    this.#changed.add(pool)
    void this.#read(pool)
  }

  /** Repeats failed reads. Called every second. */
  tick(): void {
    for (const pool of this.#changed) void this.#read(pool)
  }

  async #read(pool: LeasePool): Promise<void> {
    try {
      // A change that arrives during the query needs another query.
      this.#changed.delete(pool)
      const isChanged = await this.#deps.grants.refreshRules(pool)
      // New requests cannot spend money under the former limits.
      if (isChanged) this.#deps.giveBack(pool)
    } catch (error) {
      this.#changed.add(pool)
      this.#deps.onError('limits_not_read', error)
    }
  }
}
