import { newId } from '../../core/id.ts'
import type { LimitFallback } from '../../core/limits/rate-limit.ts'
import { type Clock, systemClock } from '../../core/time/clock.ts'
import { CountedLimits } from '../../limits/counted-limits.ts'
import { DatabaseCounts, paceMs } from '../../limits/database-counts.ts'
import { DatabaseShares } from '../../limits/database-shares.ts'
import { limitChecks } from '../../limits/limit-checks.ts'
import { limitScripts } from '../../limits/limit-scripts.ts'
import type { Limiter } from '../../limits/limiter.ts'
import { PartLimits } from '../../limits/part-limits.ts'
import { SharedLimits } from '../../limits/shared-limits.ts'
import type { Engine } from '../../store/engine.ts'
import { ScriptHost } from '../../store/redis/script-host.ts'
import type { Log } from '../../telemetry/log.ts'
import { RepeatedErrors } from '../../telemetry/repeated-errors.ts'

export interface LimitsSettings {
  /** The server that counts for all replicas; undefined: they share limits through the database. */
  readonly limitsUrl: string | undefined
  readonly limitsFallback: LimitFallback
}

export interface LimitsDeps extends LimitsSettings {
  readonly engine: Engine
  readonly clock: Clock
  readonly log: Log
  readonly replica: string
  /** A request was decided without the server. */
  onUnshared(): void
}

/** The rate limits of this process. */
export interface OpenLimits {
  readonly limiter: Limiter
  /** The processes on this database, which share the limits. */
  replicas(): number
  /** Undefined without a server. */
  isServerUp(): boolean | undefined
  /**
   * Uses another user or password of the server from now on. Throws, and changes nothing, if the server does not accept
   * them.
   */
  changeUrl(url: string): Promise<void>
  stop(): Promise<void>
}

export async function openLimits(deps: LimitsDeps): Promise<OpenLimits> {
  const { engine, clock, log, replica, limitsUrl } = deps
  const errors = new RepeatedErrors(log, clock.monotonicMs)
  let shared: SharedLimits | undefined
  const renew = () => void shared?.renew()
  const host = limitsUrl === undefined ? undefined : openHost(limitsUrl, deps, renew)
  // A server counts small limits, too.
  const counts = host ? undefined : openCounts(deps, errors, () => ({ local, shares }))
  const shares: DatabaseShares = new DatabaseShares({
    engine,
    replica,
    monotonicMs: clock.monotonicMs,
    elapsedMs: systemClock.monotonicMs,
    isNeeded: () => !host?.isUp,
    runningOf: (name) => local.runningOf(name),
    used: () => local.used(),
    ...(counts && { counts }),
    onError: (error) => errors.log('rate_limits_not_shared', error),
  })
  const local: PartLimits = new PartLimits(clock.monotonicMs, shares)
  await Promise.all([shares.open(), host?.open()])
  const replicas = () => shares.replicas
  if (!host)
    return {
      limiter: counts ? new CountedLimits(local, shares, counts) : local,
      replicas,
      isServerUp: () => undefined,
      changeUrl: async () => undefined,
      stop: async () => {
        await shares.close()
        await counts?.close()
      },
    }
  const limiter = new SharedLimits({
    host,
    local,
    fallback: deps.limitsFallback,
    permitPrefix: newId('permit'),
    nowMs: clock.monotonicMs,
    onUnshared: deps.onUnshared,
  })
  shared = limiter
  return {
    limiter,
    replicas,
    isServerUp: () => host.isUp,
    changeUrl: (url) => host.changeUrl(url),
    stop: async () => {
      limiter.close()
      host.close()
      await shares.close()
    },
  }
}

function openCounts(
  { engine, clock, replica }: LimitsDeps,
  errors: RepeatedErrors,
  opened: () => { readonly local: PartLimits; readonly shares: DatabaseShares },
): DatabaseCounts {
  return new DatabaseCounts({
    engine,
    replica,
    monotonicMs: clock.monotonicMs,
    paceMs,
    local: () => opened().local,
    runningMax: () => opened().shares.runningMax,
    isTold: () => opened().shares.isTold,
    isCounting: () => opened().shares.isCounting,
    isAlive: (other) => opened().shares.isAlive(other),
    onLost: (error) => {
      opened().shares.loseCounts()
      errors.log('rate_limits_not_shared', error)
    },
  })
}

/** Logs when the server is lost and when it is back, never its password. */
function openHost(url: string, { log, limitsFallback }: LimitsDeps, onUp: () => void): ScriptHost {
  let isLost = false
  return new ScriptHost(
    url,
    { scripts: limitScripts, checks: limitChecks },
    {
      onDown: (why) => {
        if (isLost) return
        isLost = true
        const server = new URL(url).host
        log.error('rate_limits_server_lost', { server, why, fallback: limitsFallback })
      },
      onUp: () => {
        if (isLost) log.info('rate_limits_server_back', { server: new URL(url).host })
        isLost = false
        onUp()
      },
    },
  )
}
