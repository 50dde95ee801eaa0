import { promptOf, type TokenUsage } from '../../../core/money/usage.ts'
import { isProtocolName } from '../../../core/neutral/protocol-name.ts'
import { protocols } from '../../../protocols/index.ts'
import type { Metrics } from '../../../telemetry/metrics.ts'
import type { UsageRecord } from '../../../usage/usage-record.ts'
import { boundedLabels } from '../bounded-labels.ts'

/** Each combination has up to three histograms. */
const combinationsMax = 300

/** The bounds that the conventions for generative models recommend. */
const tokenBounds = Array.from({ length: 14 }, (_, power) => 4 ** power)
const durationBounds = Array.from({ length: 14 }, (_, power) => 2 ** power / 100)
const firstTokenBounds = [
  0.001, 0.005, 0.01, 0.02, 0.04, 0.06, 0.08, 0.1, 0.25, 0.5, 0.75, 1, 2.5, 5, 7.5, 10,
]

const labelNames = [
  'gen_ai.operation.name',
  'gen_ai.provider.name',
  'gen_ai.request.model',
  'tollgate.upstream',
]
/** Clients call the gateway; the upstream is the provider behind it. */
const provider = 'tollgate'

/**
 * The metrics of the conventions for generative models, for a collector that knows them by name. Only requests that an
 * upstream answered or failed to answer count; rejected ones have no operation.
 */
export function observeGenAi(
  metrics: Metrics,
): (record: UsageRecord, usage: TokenUsage | undefined) => void {
  const labels = boundedLabels(combinationsMax, 2)
  const tokens = metrics.histogram(
    'gen_ai.client.token.usage',
    'Input and output tokens of settled requests.',
    [...labelNames, 'gen_ai.token.type'],
    tokenBounds,
    '{token}',
  )
  const duration = metrics.histogram(
    'gen_ai.client.operation.duration',
    'From the first byte received to the last byte sent.',
    [...labelNames, 'error.type'],
    durationBounds,
    's',
  )
  const firstToken = metrics.histogram(
    'gen_ai.server.time_to_first_token',
    'From the first byte received to the first content.',
    labelNames,
    firstTokenBounds,
    's',
  )
  return (record, usage) => {
    const { protocol, groupId, model = '', upstreamId = '', attempts } = record
    if (groupId === undefined || attempts.length === 0 || !isProtocolName(protocol)) return
    const values = labels(protocols[protocol].operationName, provider, model, upstreamId)
    duration.observe([...values, record.reason ?? ''], record.totalMs / 1_000)
    if (record.firstTokenMs !== undefined) firstToken.observe(values, record.firstTokenMs / 1_000)
    if (!usage) return
    tokens.observe([...values, 'input'], promptOf(usage))
    tokens.observe([...values, 'output'], usage.output)
  }
}
