import type { Fault } from '../../core/fault.ts'
import type { TokenUsage } from '../../core/money/usage.ts'
import type { MetricsOwners } from '../../core/telemetry/metrics-owners.ts'
import type { RequestSpan } from '../../core/telemetry/request-span.ts'
import type { DropReason } from '../../recording/recorder.ts'
import type { Log } from '../../telemetry/log.ts'
import type { Metrics } from '../../telemetry/metrics.ts'
import type { UsageRecord } from '../../usage/usage-record.ts'
import type { AccessLog } from './access-log.ts'
import { type LimitObserver, observeLimits } from './observe-limits.ts'
import { observeRouting, type RoutingObserver } from './observe-routing.ts'
import { observeUncovered } from './observe-uncovered.ts'
import { observeOwners, observeServed, observeTimes } from './observe-usage.ts'

/** Metrics, and one line per request in the access log. Never a prompt, never a key. */
export interface Observer extends LimitObserver {
  readonly routing: RoutingObserver
  onRecord(record: UsageRecord, usage?: TokenUsage, span?: RequestSpan): void
  /** Bodies that were not recorded although their account has enabled recording. */
  onRecordingDropped(count: number, why: DropReason): void
  /** A rejected request that could not be recorded and is missing from the request log. */
  onUnrecorded(): void
  onFault(requestId: string, path: string, fault: Fault): void
  onUpstreamFault(requestId: string, fault: Fault): void
}

export interface ObserverOptions {
  /** The owners for which the metrics count separately. Default: none. */
  readonly owners?: MetricsOwners
  readonly onServed?: ((record: UsageRecord, usage: TokenUsage | undefined) => void) | undefined
  /** Gets each record for its trace. */
  readonly onRecord?: (
    record: UsageRecord,
    usage: TokenUsage | undefined,
    span: RequestSpan | undefined,
  ) => void
  /** Gets each record for its line in the access log. */
  readonly accessLog?: Pick<AccessLog, 'onRecord'>
}

/** Attempts that were not made, because the limits of a credential are used up, do not count. */
function observeAttempts(metrics: Metrics): (record: UsageRecord) => void {
  const attempts = metrics.counter('tollgate_attempts_total', 'Attempts at upstreams.', [
    'upstream',
    'outcome',
  ])
  return (record) => {
    for (const { upstreamId, reason } of record.attempts)
      if (reason !== 'credential_limited') attempts.add([upstreamId, reason ?? 'ok'])
  }
}

export function createObserver(
  metrics: Metrics,
  log: Log,
  options: ObserverOptions = {},
): Observer {
  const requests = metrics.counter('tollgate_requests_total', 'Authenticated requests.', [
    'protocol',
    'status',
    'reason',
  ])
  const refusals = metrics.counter(
    'tollgate_faults_total',
    'Error responses, including those to unauthenticated requests.',
    ['code'],
  )
  const unrecorded = metrics.counter(
    'tollgate_requests_not_recorded_total',
    'Rejected requests that are missing from the request log because the journal had no room.',
    [],
  )
  const unrecordedBodies = metrics.counter(
    'tollgate_recordings_dropped_total',
    'Requests whose bodies should have been recorded and were not.',
    ['reason'],
  )
  const countAll = [
    observeServed(metrics),
    observeTimes(metrics),
    observeOwners(metrics, options.owners ?? 'off'),
    observeAttempts(metrics),
    ...(options.onServed ? [options.onServed] : []),
  ]
  const logUncovered = observeUncovered(metrics, log)
  return {
    ...observeLimits(metrics),
    routing: observeRouting(metrics, log),
    onRecord: (record, usage, span) => {
      requests.add([record.protocol, String(record.status), record.reason ?? ''])
      for (const count of countAll) count(record, usage)
      if (record.uncoveredNano !== undefined) logUncovered(record, record.uncoveredNano)
      if (span) options.onRecord?.(record, usage, span)
      options.accessLog?.onRecord(record, span)
    },
    onRecordingDropped: (count, why) => unrecordedBodies.add([why], count),
    onUnrecorded: () => unrecorded.add([]),
    onFault: (requestId, path, fault) => {
      refusals.add([fault.code])
      logFault(log, requestId, path, fault)
    },
    onUpstreamFault: (requestId, fault) => {
      // The message for the client may quote the request, as may any message about the request.
      const why = isOfUpstream(fault) ? fault.details.operatorMessage : undefined
      log.warn('upstream_failed', { requestId, code: fault.code, why })
    },
  }
}

function logFault(log: Log, requestId: string, path: string, fault: Fault): void {
  const { code, message, details } = fault
  if (code === 'internal_error') {
    log.error('internal_error', { requestId, path, why: details.operatorMessage })
  } else if (code === 'unavailable' && details.operatorMessage !== undefined) {
    // Only the operator can resolve the cause.
    log.error('unavailable', { requestId, path, why: details.operatorMessage })
  } else {
    const detail = code.startsWith('upstream_') ? {} : { message }
    log.debug('fault', { requestId, path, code, ...detail })
  }
}

/** A failure of the upstream or of the gateway itself, and not a mistake in the request. */
function isOfUpstream({ code }: Fault): boolean {
  return code.startsWith('upstream_') || code === 'unavailable'
}
