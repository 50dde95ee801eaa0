import type { LogEvent } from '../../core/log-event.ts'
import type { LeaseGrants } from '../leases/lease-grants.ts'
import type { LeasePool } from '../leases/lease-pool.ts'

interface FollowDeps {
  readonly grants: Pick<LeaseGrants, 'refreshRules'>
  giveBack(pool: LeasePool): void
  onError(event: LogEvent, error: unknown): void
}

/** Reads the limits of pools again whose key, member or account has changed, until the database has answered. */
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

  /** Repeats what has failed. Called every second. */
  tick(): void {
    for (const pool of this.#changed) void this.#read(pool)
  }

  async #read(pool: LeasePool): Promise<void> {
    try {
      // A change that comes while the answer is on its way needs another one.
      this.#changed.delete(pool)
      const isChanged = await this.#deps.grants.refreshRules(pool)
      // Money under the former limits is of no use to new requests.
      if (isChanged) this.#deps.giveBack(pool)
    } catch (error) {
      this.#changed.add(pool)
      this.#deps.onError('limits_not_read', error)
    }
  }
}
