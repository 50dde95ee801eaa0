import { formatDollars, type Nano } from '../../core/money/money.ts'
import type { Log } from '../../telemetry/log.ts'
import type { Metrics } from '../../telemetry/metrics.ts'
import type { UsageRecord } from '../../usage/usage-record.ts'

/** An upstream has reported more usage than its model allows: the operator should check the upstream and its bill. */
export function observeUncovered(
  metrics: Metrics,
  log: Log,
): (record: UsageRecord, uncoveredNano: Nano) => void {
  const uncovered = metrics.counter(
    'tollgate_uncovered_dollars_total',
    'Cost in US dollars that upstreams reported beyond the available money; charged to nobody.',
    ['protocol'],
  )
  return (record, uncoveredNano) => {
    uncovered.add([record.protocol], Number(uncoveredNano) / 1e9)
    log.error('uncovered', {
      requestId: record.requestId,
      upstream: record.upstreamId,
      model: record.model,
      key: record.keyId,
      account: record.accountId,
      charged: formatDollars(record.costNano),
      uncovered: formatDollars(uncoveredNano),
      why: 'the upstream reported more usage than was reserved, and no more credit was available',
    })
  }
}
