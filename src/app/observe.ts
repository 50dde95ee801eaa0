import type { Fault } from '../core/fault.ts'
import { formatDollars } from '../core/money.ts'
import type { TokenUsage } from '../core/usage.ts'
import type { Log, LogFields } from '../telemetry/log.ts'
import type { Metrics } from '../telemetry/metrics.ts'
import type { UsageRecord } from '../usage/usage-record.ts'
import { createModelLabel } from './model-label.ts'
import { type LimitObserver, observeLimits } from './observe-limits.ts'
import { observeRouting, type RoutingObserver } from './observe-routing.ts'
import { observeTokens } from './observe-tokens.ts'
import { observeUncovered } from './observe-uncovered.ts'

const secondsBounds = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300]

/** Metrics and one log line per request. Never a prompt, never a key. */
export interface Observer extends LimitObserver {
  readonly routing: RoutingObserver
  onRecord(record: UsageRecord, usage?: TokenUsage): void
  /** A rejected request that could not be recorded and is missing from the usage log. */
  onUnrecorded(): void
  onFault(requestId: string, path: string, fault: Fault): void
  onUpstreamFault(requestId: string, fault: Fault): void
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

export function createObserver(metrics: Metrics, log: Log): Observer {
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
  const cost = metrics.counter(
    'tollgate_cost_dollars_total',
    'Amount charged in US dollars (a float for trends; the ledger is exact).',
    ['protocol', 'model'],
  )
  const duration = metrics.histogram(
    'tollgate_request_seconds',
    'From the first byte received to the last byte sent.',
    ['protocol'],
    secondsBounds,
  )
  const firstToken = metrics.histogram(
    'tollgate_first_token_seconds',
    'From the first byte received to the first content.',
    ['protocol'],
    secondsBounds,
  )
  const unrecorded = metrics.counter(
    'tollgate_requests_not_recorded_total',
    'Rejected requests that are missing from the usage log because the journal had no room.',
    [],
  )
  const [countTokens, modelLabel] = [observeTokens(metrics), createModelLabel()]
  const countAttempts = observeAttempts(metrics)
  const logUncovered = observeUncovered(metrics, log)
  return {
    ...observeLimits(metrics),
    routing: observeRouting(metrics, log),
    onRecord: (record, usage) => {
      const { protocol } = record
      const labels = [protocol, modelLabel(record)] as const
      if (usage) countTokens(labels, usage)
      requests.add([protocol, String(record.status), record.reason ?? ''])
      cost.add(labels, Number(record.costNano) / 1e9)
      if (record.uncoveredNano !== undefined) logUncovered(record, record.uncoveredNano)
      duration.observe([protocol], record.totalMs / 1_000)
      if (record.firstTokenMs !== undefined)
        firstToken.observe([protocol], record.firstTokenMs / 1_000)
      countAttempts(record)
      if (log.isOn('info')) log.info('request', describe(record))
    },
    onUnrecorded: () => unrecorded.add([]),
    onFault: (requestId, path, fault) => {
      refusals.add([fault.code])
      logFault(log, requestId, path, fault)
    },
    onUpstreamFault: (requestId, fault) => {
      log.warn('upstream_trouble', {
        requestId,
        code: fault.code,
        why: fault.details.operatorMessage ?? fault.message,
      })
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
    log.debug('fault', { requestId, path, code, message })
  }
}

function describe(record: UsageRecord): LogFields {
  return {
    requestId: record.requestId,
    status: record.status,
    reason: record.reason,
    protocol: record.protocol,
    model: record.model,
    key: record.keyId,
    account: record.accountId,
    group: record.groupId,
    stream: record.isStream,
    cost: formatDollars(record.costNano),
    totalMs: Math.round(record.totalMs),
    attempts: record.attempts.length,
  }
}
