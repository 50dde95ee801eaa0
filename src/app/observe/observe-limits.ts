import type { LimitKind, LimitOwner } from '../../core/limits/rate-limit.ts'
import type { Metrics } from '../../telemetry/metrics.ts'

export interface LimitObserver {
  /** A rate limit has refused a request. */
  onLimitReached(owner: LimitOwner, kind: LimitKind): void
  /** A candidate was skipped because the limits of its credential are used up. */
  onCredentialLimited(upstreamId: string, kind: LimitKind): void
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
  const skipped = metrics.counter(
    'tollgate_credential_limited_total',
    'Attempts that were not made because the rate limit of the credential was used up.',
    ['upstream', 'limit'],
  )
  return {
    onCredentialLimited: (upstreamId, kind) => skipped.add([upstreamId, kind]),
    onLimitReached: (owner, kind) => limited.add([owner, kind]),
    onUnshared: () => unshared.add([]),
  }
}
