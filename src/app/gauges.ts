import type { Listener } from '../http-in/listen.ts'
import { LeftoverCounter } from '../ledger/journal/leftovers.ts'
import type { Engine } from '../store/engine.ts'
import type { Metrics } from '../telemetry/metrics.ts'
import type { Node } from './open-node.ts'

/** What is read at the moment of asking. */
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
  metrics.gauge(
    'tollgate_requests_in_flight',
    'Requests being answered now, streams included.',
    () => parts.listener.pending(),
  )
  metrics.gauge(
    'tollgate_unshipped_settlements',
    'Settlements in the journal that the database has not got yet.',
    () => parts.node.ledger.unshipped,
  )
  metrics.gauge(
    'tollgate_database_out_of_reach_seconds',
    'How long the database has not answered; 0 while it does.',
    () => parts.engine.outOfReachMs() / 1_000,
  )
  metrics.gauge(
    'tollgate_open_holds',
    'Holds that are neither settled nor given back.',
    () => parts.node.ledger.openHolds,
  )
  metrics.gauge(
    'tollgate_breakers_open',
    'Models at upstreams that are left alone now because they failed.',
    () => parts.node.openBreakers(),
  )
  metrics.gauge('tollgate_credentials_dead', 'Credentials that their upstreams refuse.', () =>
    parts.node.deadCredentials(),
  )
  metrics.gauge(
    'tollgate_departed_answers',
    'Answers that are read for their usage although their callers have gone.',
    () => parts.node.departed(),
  )
  registerLeftoverGauges(metrics, parts)
  registerAuditGauges(metrics, parts.node, parts.nowMs)
  metrics.gauge('process_resident_memory_bytes', 'Resident memory.', () =>
    process.memoryUsage.rss(),
  )
  metrics
    .counter('tollgate_build_info', 'Always 1; the label tells the version.', ['version'])
    .add([parts.version])
}

/** What waits for a person. */
function registerLeftoverGauges(
  metrics: Metrics,
  { node, journalFolder }: { node: Node; journalFolder: string },
): void {
  const leftovers = new LeftoverCounter(journalFolder)
  metrics.gauge(
    'tollgate_records_set_aside',
    'Records that the database refuses because of what is in them.',
    () => leftovers.count().refusedRecords,
  )
  metrics.gauge(
    'tollgate_journal_damaged_lines',
    'Lines of journals that cannot be read.',
    () => leftovers.count().damagedLines,
  )
  metrics.gauge('tollgate_not_admitting', '1 while no request is admitted.', () =>
    node.ledger.trouble ? 1 : 0,
  )
}

/** What the self-audit and the ledger say about the books and about what is under way. */
function registerAuditGauges(metrics: Metrics, node: Node, nowMs: () => number): void {
  const age = (atMs: number | undefined): number =>
    atMs === undefined ? 0 : Math.max(0, nowMs() - atMs) / 1_000
  metrics.gauge(
    'tollgate_audit_accounts_out_of_balance',
    'Accounts whose books do not balance.',
    () => node.audit.readings.outOfBalance,
  )
  metrics.gauge(
    'tollgate_audit_accounts_stopped',
    'Accounts that get no leases because their books do not balance.',
    () => node.audit.readings.stopped,
  )
  metrics.gauge('tollgate_audit_age_seconds', 'Since the last self-audit of the database.', () =>
    age(node.audit.readings.lastAtMs),
  )
  metrics.gauge('tollgate_oldest_lease_seconds', 'Age of the oldest lease of all processes.', () =>
    age(node.audit.readings.oldestLeaseAtMs),
  )
  metrics.gauge('tollgate_oldest_hold_seconds', 'Age of the oldest open hold.', () =>
    age(node.ledger.vitals().oldestHoldAtMs),
  )
  metrics.gauge(
    'tollgate_oldest_unshipped_seconds',
    'Age of the oldest entry that the database has not got yet.',
    () => age(node.ledger.vitals().unshippedSinceMs),
  )
  metrics.gauge(
    'tollgate_admits_without_entry',
    'Requests that were admitted and whose entry the database has not got yet.',
    () => node.ledger.vitals().admitsWithoutEntry,
  )
}
