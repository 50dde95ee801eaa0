import type { LimitKind, LimitOwner } from '../core/rate-limit.ts'
import type { Metrics } from '../telemetry/metrics.ts'

export interface LimitObserver {
  /** A rate limit has refused a request. */
  onLimitReached(owner: LimitOwner, kind: LimitKind): void
  /** The rate limits of a request were decided without the server that counts for all replicas. */
  onUnshared(): void
}

export function observeLimits(metrics: Metrics): LimitObserver {
  const limited = metrics.counter(
    'tollgate_rate_limited_total',
    'Requests that a rate limit refused.',
    ['owner', 'limit'],
  )
  const unshared = metrics.counter(
    'tollgate_rate_limits_unshared_total',
    'Requests whose rate limits were decided without the server of the setting limits.',
    [],
  )
  return {
    onLimitReached: (owner, kind) => limited.add([owner, kind]),
    onUnshared: () => unshared.add([]),
  }
}
