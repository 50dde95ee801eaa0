import type { HealthEvents } from '../routing/target-state.ts'
import type { Log } from '../telemetry/log.ts'
import type { Metrics } from '../telemetry/metrics.ts'

export interface RoutingObserver extends HealthEvents {
  retryDenied(): void
}

/** What operators see of the health of upstreams: a lost credential is shouted about, since only a person can mend it. */
export function observeRouting(metrics: Metrics, log: Log): RoutingObserver {
  const breakers = metrics.counter(
    'tollgate_breaker_openings_total',
    'How often an upstream was taken out for a model because it failed.',
    ['upstream'],
  )
  const refused = metrics.counter(
    'tollgate_credentials_refused_total',
    'How often a credential was taken out because its upstream refused it.',
    ['upstream'],
  )
  const denied = metrics.counter(
    'tollgate_retries_denied_total',
    'Tries at another upstream that were left out because too many were made.',
    [],
  )
  return {
    breakerOpened: ({ upstreamId, model }, forMs, onlyFor) => {
      breakers.add([upstreamId])
      const seconds = Math.round(forMs / 1_000)
      log.warn('upstream_out', { upstream: upstreamId, model, seconds, account: onlyFor })
    },
    breakerClosed: ({ upstreamId, model }) =>
      log.info('upstream_back', { upstream: upstreamId, model }),
    credentialDied: ({ upstreamId, name }, status) => {
      refused.add([upstreamId])
      log.error('credential_refused', {
        upstream: upstreamId,
        credential: name,
        status,
        why: 'the upstream does not take this credential any more; enter another one',
      })
    },
    credentialRevived: ({ upstreamId, name }) =>
      log.info('credential_taken_again', { upstream: upstreamId, credential: name }),
    retryDenied: () => denied.add([]),
  }
}
