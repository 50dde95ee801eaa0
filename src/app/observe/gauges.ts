import type { Listener } from '../../http-in/listen.ts'
import { LeftoverCounter } from '../../ledger/journal/leftovers.ts'
import { lengthsOf } from '../../routing/slot-queue.ts'
import type { Engine } from '../../store/engine.ts'
import type { Metrics } from '../../telemetry/metrics.ts'
import type { Node } from '../node/open-node.ts'

/** Values that are read when the metrics are requested. */
export function registerGauges(
  metrics: Metrics,
  parts: {
    version: string
    listener: Listener
    node: Node
    engine: Engine
    journalFolder: string
    nowMs: () => number
  },
): void {
  metrics.gauge('tollgate_requests_in_flight', 'Requests in progress, including streams.', () =>
    parts.listener.pending(),
  )
  metrics.gauge(
    'tollgate_unshipped_settlements',
    'Settlements in the journal that have not reached the database yet.',
    () => parts.node.ledger.unshipped,
  )
  registerDatabaseGauges(metrics, parts.engine)
  metrics.gauge(
    'tollgate_open_holds',
    'Holds that are neither settled nor released.',
    () => parts.node.ledger.openHolds,
  )
  metrics.gauge(
    'tollgate_breakers_open',
    'Circuit breakers that are open now, one per model and upstream.',
    () => parts.node.openBreakers(),
    'largest',
  )
  metrics.gauge(
    'tollgate_credentials_dead',
    'Credentials that their upstreams reject.',
    () => parts.node.deadCredentials().size,
    'largest',
  )
  metrics.gauges(
    'tollgate_queue_length',
    'Requests that wait for a free upstream.',
    'priority',
    () => lengthsOf(parts.node.routing.queue),
  )
  metrics.gauge(
    'tollgate_departed_answers',
    'Responses that are read for their usage after their clients disconnected.',
    () => parts.node.disconnectedReads(),
  )
  registerLimitGauges(metrics, parts.node)
  registerLeftoverGauges(metrics, parts)
  registerAuditGauges(metrics, parts.node, parts.nowMs)
  metrics.gauge('process_resident_memory_bytes', 'Resident memory.', () =>
    process.memoryUsage.rss(),
  )
  metrics
    .counter(
      'tollgate_build_info',
      'Always 1; the label contains the version.',
      ['version'],
      'largest',
    )
    .add([parts.version])
}

function registerDatabaseGauges(metrics: Metrics, engine: Engine): void {
  metrics.gauge(
    'tollgate_database_out_of_reach_seconds',
    'How long the database has not responded; 0 while it responds.',
    () => engine.outOfReachMs() / 1_000,
    'largest',
  )
  metrics.gauge(
    'tollgate_read_replica_used',
    'Whether usage is read from the server of the setting readDatabase; 1 without one, and before the first query.',
    () => (isReplicaAvoided(engine) ? 0 : 1),
    'smallest',
  )
}

function isReplicaAvoided({ readReplica }: Engine): boolean {
  const state = readReplica?.()
  return state !== undefined && state !== 'used' && state !== 'unused'
}

function registerLimitGauges(metrics: Metrics, node: Node): void {
  metrics.gauge(
    'tollgate_rate_limits_server_up',
    'Whether the server of the setting limits can be reached; 1 without one.',
    () => (node.rateLimits.isServerUp() === false ? 0 : 1),
    'smallest',
  )
  metrics.gauge(
    'tollgate_rate_limits_replicas',
    'Processes on this database, which share the rate limits.',
    () => node.rateLimits.replicas(),
    'largest',
  )
}

/** Conditions that an operator must resolve. */
function registerLeftoverGauges(
  metrics: Metrics,
  { node, journalFolder }: { node: Node; journalFolder: string },
): void {
  const leftovers = new LeftoverCounter(journalFolder)
  metrics.gauge(
    'tollgate_records_set_aside',
    'Records that the database rejects because of their values.',
    () => leftovers.count().refusedRecords,
    'largest',
  )
  metrics.gauge(
    'tollgate_journal_damaged_lines',
    'Journal lines that cannot be read.',
    () => leftovers.count().damagedLines,
    'largest',
  )
  metrics.gauge(
    'tollgate_not_admitting',
    '1 while the gateway admits no requests.',
    () => (node.ledger.trouble ? 1 : 0),
    'largest',
  )
}

/** Figures of the self-audit and of running requests in the ledger. */
function registerAuditGauges(metrics: Metrics, node: Node, nowMs: () => number): void {
  const age = (atMs: number | undefined): number =>
    atMs === undefined ? 0 : Math.max(0, nowMs() - atMs) / 1_000
  metrics.gauge(
    'tollgate_audit_accounts_out_of_balance',
    'Accounts whose ledger does not balance.',
    () => node.audit.readings.outOfBalance,
    'largest',
  )
  metrics.gauge(
    'tollgate_audit_accounts_stopped',
    'Accounts that get no leases because their ledger does not balance.',
    () => node.audit.readings.stopped,
    'largest',
  )
  metrics.gauge(
    'tollgate_audit_age_seconds',
    'Time since the last self-audit of the database.',
    () => age(node.audit.readings.lastAtMs),
    'largest',
  )
  metrics.gauge(
    'tollgate_oldest_lease_seconds',
    'Age of the oldest lease of all processes.',
    () => age(node.audit.readings.oldestLeaseAtMs),
    'largest',
  )
  metrics.gauge(
    'tollgate_oldest_hold_seconds',
    'Age of the oldest open hold.',
    () => age(node.ledger.status().oldestHoldAtMs),
    'largest',
  )
  metrics.gauge(
    'tollgate_oldest_unshipped_seconds',
    'Age of the oldest settlement that has not reached the database yet.',
    () => age(node.ledger.status().unshippedSinceMs),
    'largest',
  )
  metrics.gauge(
    'tollgate_admits_without_entry',
    'Admitted requests whose entry has not reached the database yet.',
    () => node.ledger.status().admitsWithoutEntry,
  )
}
