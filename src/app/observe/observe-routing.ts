import type { Priority } from '../../core/upstreams/priority.ts'
import type { QueueOutcome } from '../../core/upstreams/queue-outcome.ts'
import type { HealthEvents } from '../../routing/target-state.ts'
import type { Log } from '../../telemetry/log.ts'
import type { Metrics } from '../../telemetry/metrics.ts'

const queueBounds = [0.01, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60]

export interface RoutingObserver extends HealthEvents {
  retryDenied(): void
  /** A wait for a free upstream has ended. */
  queued(priority: Priority, outcome: QueueOutcome, waitedMs: number): void
}

/** Metrics and log events for upstream health. A rejected credential is an error: only an operator can replace it. */
export function observeRouting(metrics: Metrics, log: Log): RoutingObserver {
  const breakers = metrics.counter(
    'tollgate_breaker_openings_total',
    'How often the circuit breaker of a model at an upstream opened.',
    ['upstream'],
  )
  const refused = metrics.counter(
    'tollgate_credentials_refused_total',
    'How often an upstream began to reject a credential, which is then skipped for a time.',
    ['upstream'],
  )
  const denied = metrics.counter(
    'tollgate_retries_denied_total',
    'Retries at another upstream that were skipped because the retry budget was used up.',
    [],
  )
  const waits = metrics.histogram(
    'tollgate_queue_wait_seconds',
    'How long requests waited for a free upstream, and how the wait ended.',
    ['priority', 'outcome'],
    queueBounds,
  )
  return {
    queued: (priority, outcome, waitedMs) => waits.observe([priority, outcome], waitedMs / 1_000),
    breakerOpened: ({ upstreamId, model }, forMs, onlyFor) => {
      breakers.add([upstreamId])
      const seconds = Math.round(forMs / 1_000)
      log.warn('circuit_breaker_opened', { upstream: upstreamId, model, seconds, account: onlyFor })
    },
    breakerClosed: ({ upstreamId, model }) =>
      log.info('circuit_breaker_closed', { upstream: upstreamId, model }),
    credentialRejected: ({ upstreamId, name }, status) => {
      refused.add([upstreamId])
      log.error('credential_rejected', {
        upstream: upstreamId,
        credential: name,
        status,
        why: 'the upstream rejects this credential; enter a new one',
      })
    },
    credentialAccepted: ({ upstreamId, name }) =>
      log.info('credential_accepted', { upstream: upstreamId, credential: name }),
    retryDenied: () => denied.add([]),
  }
}
