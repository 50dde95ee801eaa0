import { promptOf, type TokenUsage } from '../../core/money/usage.ts'
import type { MetricsOwners } from '../../core/telemetry/metrics-owners.ts'
import type { Counter, Metrics } from '../../telemetry/metrics.ts'
import type { UsageRecord } from '../../usage/usage-record.ts'
import { boundedLabels } from './bounded-labels.ts'

/** With two outcomes and the series for the rest, this stays below the series limit of a metric. */
const servedMax = 900
/** A histogram has 18 lines for each series. */
const timedMax = 100
const ownersMax = 1_000

const secondsBounds = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300]

type Observe = (record: UsageRecord, usage: TokenUsage | undefined) => void

/** Only an id of the catalogue: a request without a group may have named any model. */
function modelOf({ model, groupId }: UsageRecord): string {
  return groupId === undefined ? '' : (model ?? '')
}

/** Requests, tokens and cost by model, group and upstream. */
export function observeServed(metrics: Metrics): Observe {
  const names = ['protocol', 'model', 'group', 'upstream']
  const labels = boundedLabels(servedMax, 1)
  const requests = metrics.counter(
    'tollgate_model_requests_total',
    'Authenticated requests by model, group and upstream.',
    [...names, 'outcome'],
  )
  const cost = metrics.counter(
    'tollgate_cost_dollars_total',
    'Amount charged in US dollars (a float for trends; the ledger is exact).',
    names,
  )
  const countTokens = tokenCounters(metrics, names)
  return (record, usage) => {
    const { protocol, groupId = '', upstreamId = '' } = record
    const values = labels(protocol, modelOf(record), groupId, upstreamId)
    requests.add([...values, record.reason === undefined ? 'ok' : 'error'])
    cost.add(values, Number(record.costNano) / 1e9)
    if (usage) countTokens(values, usage)
  }
}

/** Counts input, cached input and output tokens. The cached share shows what sticky routing saves. */
function tokenCounters(
  metrics: Metrics,
  names: readonly string[],
): (values: readonly string[], usage: TokenUsage) => void {
  const input = metrics.counter(
    'tollgate_input_tokens_total',
    'Input tokens of settled requests, including cached tokens.',
    names,
  )
  const cached = metrics.counter(
    'tollgate_cached_tokens_total',
    'Input tokens that were read from the provider’s cache.',
    names,
  )
  const output = metrics.counter(
    'tollgate_output_tokens_total',
    'Output tokens of settled requests, including reasoning.',
    names,
  )
  return (values, usage) => {
    input.add(values, promptOf(usage))
    output.add(values, usage.output)
    if (usage.cacheRead > 0) cached.add(values, usage.cacheRead)
  }
}

/** How long requests and their first content take, by protocol and model. */
export function observeTimes(metrics: Metrics): Observe {
  const names = ['protocol', 'model']
  const labels = boundedLabels(timedMax, 1)
  const duration = metrics.histogram(
    'tollgate_request_seconds',
    'From the first byte received to the last byte sent.',
    names,
    secondsBounds,
  )
  const firstToken = metrics.histogram(
    'tollgate_first_token_seconds',
    'From the first byte received to the first content.',
    names,
    secondsBounds,
  )
  return (record) => {
    const values = labels(record.protocol, modelOf(record))
    duration.observe(values, record.totalMs / 1_000)
    if (record.firstTokenMs !== undefined) firstToken.observe(values, record.firstTokenMs / 1_000)
  }
}

/** Requests, tokens and cost by account and key, if the operator wants them: there may be very many. */
export function observeOwners(metrics: Metrics, owners: MetricsOwners): Observe {
  const counter = (name: string, help: string): Counter =>
    metrics.counter(name, help, ['account', 'key'])
  const requests = counter(
    'tollgate_owner_requests_total',
    'Authenticated requests by account and key.',
  )
  const input = counter('tollgate_owner_input_tokens_total', 'Input tokens by account and key.')
  const output = counter('tollgate_owner_output_tokens_total', 'Output tokens by account and key.')
  const cost = counter(
    'tollgate_owner_cost_dollars_total',
    'Amount charged in US dollars by account and key.',
  )
  const labels = boundedLabels(ownersMax)
  if (owners === 'off') return () => undefined
  return ({ accountId, keyId, costNano }, usage) => {
    const values = labels(accountId, owners === 'keys' ? keyId : '')
    requests.add(values)
    cost.add(values, Number(costNano) / 1e9)
    if (!usage) return
    input.add(values, promptOf(usage))
    output.add(values, usage.output)
  }
}
