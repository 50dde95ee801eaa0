import type { LogEvent } from '../../core/telemetry/log-event.ts'
import type { Engine, Unit, UnitResult } from '../../store/engine.ts'
import { isUnsure, type LeasePool, type PooledLease } from './lease-pool.ts'
import { leaseTimes } from './lease-times.ts'
import { type LeaseOwner, renewUnit } from './lease-units.ts'

const reclaimInMs = leaseTimes.admitMs + leaseTimes.reclaimAfterMs

interface RenewalDeps {
  readonly engine: Engine
  readonly commits: { run(unit: Unit): Promise<UnitResult> }
  readonly owner: LeaseOwner
  onError(event: LogEvent, error: unknown): void
}

/** Tells the database that leases are still in use. */
export class LeaseRenewals {
  readonly #deps: RenewalDeps
  readonly #giveBack: (pool: LeasePool) => Promise<boolean>

  constructor(deps: RenewalDeps, giveBack: (pool: LeasePool) => Promise<boolean>) {
    this.#deps = deps
    this.#giveBack = giveBack
  }

  renewDue(pool: LeasePool, nowMs: number): void {
    for (const lease of pool.leases) {
      const dueMs = lease.renewAgainMs ?? lease.renewedMs + leaseTimes.renewEveryMs
      if (!lease.isGone && nowMs >= dueMs) void this.#renew(pool, lease, nowMs)
    }
  }

  /** After a long silence of the database, leases may have another owner; renewing them answers this. */
  async renewUnsure(pools: Iterable<LeasePool>, accountId: string, nowMs: number): Promise<void> {
    const renewals: Promise<void>[] = []
    for (const pool of pools) {
      if (pool.accountId !== accountId) continue
      for (const lease of pool.leases)
        if (isUnsure(lease, nowMs - leaseTimes.admitMs))
          renewals.push(this.#renew(pool, lease, nowMs))
    }
    await Promise.all(renewals)
  }

  async #renew(pool: LeasePool, lease: PooledLease, nowMs: number): Promise<void> {
    const { commits, owner, engine } = this.#deps
    const wasUnsure = isUnsure(lease, nowMs - leaseTimes.admitMs)
    // This also prevents a second renewal while the first one waits for its answer.
    lease.renewAgainMs = nowMs + leaseTimes.renewAgainMs
    try {
      const { terms } = lease
      const asksTime = terms.endsAtMs < Number.POSITIVE_INFINITY
      const unit = renewUnit(lease.id, owner, reclaimInMs, engine.clockSql, asksTime)
      const result = await commits.run(unit)
      if (asksTime) terms.measure(nowMs, Number(result[1]?.rows[0]?.['now_ms']))
      if ((result[0]?.changes ?? 0) > 0) lease.renewedMs = nowMs
      else lease.isGone = true
      lease.renewAgainMs = undefined
    } catch (error) {
      this.#deps.onError('lease_not_renewed', error)
      return
    }
    // A recall during the uncertainty could not be answered.
    if (wasUnsure) await this.#giveBack(pool)
  }
}
