import type { Listener } from '../server/listen.ts'
import type { Metrics } from '../telemetry/metrics.ts'
import type { Node } from './open-node.ts'

/** What is read at the moment of asking. */
export function registerGauges(
  metrics: Metrics,
  parts: { version: string; listener: Listener; node: Node },
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
    'tollgate_open_holds',
    'Holds that are neither settled nor given back.',
    () => parts.node.ledger.openHolds,
  )
  metrics.gauge('process_resident_memory_bytes', 'Resident memory.', () =>
    process.memoryUsage.rss(),
  )
  metrics
    .counter('tollgate_build_info', 'Always 1; the label tells the version.', ['version'])
    .add([parts.version])
}
