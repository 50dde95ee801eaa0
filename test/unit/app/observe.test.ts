import { describe, expect, test } from 'bun:test'
import { boundedLabels } from '../../../src/app/observe/bounded-labels.ts'
import { createObserver } from '../../../src/app/observe/observe.ts'
import { Fault } from '../../../src/core/fault.ts'
import { noUsage } from '../../../src/core/money/usage.ts'
import type { MetricsOwners } from '../../../src/core/telemetry/metrics-owners.ts'
import { createLog } from '../../../src/telemetry/log.ts'
import { Metrics } from '../../../src/telemetry/metrics.ts'
import type { UsageRecord } from '../../../src/usage/usage-record.ts'

function openObserver() {
  const lines: string[] = []
  const log = createLog({ level: 'info', nowMs: () => 0, write: (line) => void lines.push(line) })
  return { observer: createObserver(new Metrics(), log), lines }
}

describe('faults, as the operator sees them', () => {
  test('the log has the reason why the gateway cannot answer', () => {
    const { observer, lines } = openObserver()
    const operatorMessage = 'reserving failed: the ledger of account a does not balance'
    const fault = new Fault('unavailable', 'Try again.', { operatorMessage })
    observer.onFault('request-1', '/v1/messages', fault)
    expect(lines.map((line) => JSON.parse(line))).toEqual([
      expect.objectContaining({ level: 'error', event: 'unavailable', why: operatorMessage }),
    ])
  })

  test('a fault that only the client can correct is not logged', () => {
    const { observer, lines } = openObserver()
    observer.onFault('request-1', '/v1/messages', new Fault('invalid_token', 'No such key.'))
    observer.onFault('request-2', '/v1/messages', new Fault('unavailable', 'Stopping.'))
    expect(lines).toEqual([])
  })
})

describe('label values', () => {
  test('have a limited number of combinations; the rest is other, except values of the program itself', () => {
    const labels = boundedLabels(3, 1)
    expect(labels('messages', 'm1', 'u1')).toEqual(['messages', 'm1', 'u1'])
    expect(labels('messages', 'm1', 'u2')).toEqual(['messages', 'm1', 'u2'])
    expect(labels('messages', 'm2', 'u1')).toEqual(['messages', 'm2', 'u1'])
    expect(labels('messages', 'm3', 'u1')).toEqual(['messages', 'other', 'other'])
    expect(labels('responses', 'm1', 'u1')).toEqual(['responses', 'other', 'other'])
    expect(labels('messages', 'm1', 'u1')).toEqual(['messages', 'm1', 'u1'])
  })
})

const record: UsageRecord = {
  requestId: 'request-1',
  at: 0,
  accountId: 'acme',
  keyId: 'key-1',
  model: 'gpt-x',
  protocol: 'messages',
  groupId: 'default',
  isStream: true,
  status: 200,
  reason: undefined,
  costNano: 1_500_000_000n,
  firstTokenMs: 20,
  totalMs: 70,
  clientAddress: '127.0.0.1',
  clientRequestId: undefined,
  upstreamId: 'u1',
  upstreamRequestId: undefined,
  warnings: [],
  attempts: [],
}
const usage = { ...noUsage, input: 3, cacheRead: 4, output: 5 }

function countedBy(owners: MetricsOwners, ...records: readonly UsageRecord[]): string[] {
  const metrics = new Metrics()
  const log = createLog({ level: 'error', nowMs: () => 0, write: () => undefined })
  const observer = createObserver(metrics, log, { owners })
  for (const each of records) observer.onRecord(each, usage)
  return metrics.render().split('\n')
}

describe('a request counts', () => {
  test('its tokens, cost and times, by model, group and upstream', () => {
    const lines = countedBy('off', record, { ...record, upstreamId: 'u2' })
    const labels = 'protocol="messages",model="gpt-x",group="default",upstream="u1"'
    expect(lines).toContain(`tollgate_model_requests_total{${labels},outcome="ok"} 1`)
    expect(lines).toContain(`tollgate_cost_dollars_total{${labels}} 1.5`)
    expect(lines).toContain(`tollgate_input_tokens_total{${labels}} 7`)
    expect(lines).toContain(`tollgate_cached_tokens_total{${labels}} 4`)
    expect(lines).toContain(`tollgate_output_tokens_total{${labels}} 5`)
    const timed = '{protocol="messages",model="gpt-x"'
    expect(lines).toContain(`tollgate_first_token_seconds_bucket${timed},le="0.025"} 2`)
    expect(lines).toContain(`tollgate_request_seconds_bucket${timed},le="0.05"} 0`)
    expect(lines).toContain(`tollgate_request_seconds_count${timed}} 2`)
  })

  test('never a model name that a client invented', () => {
    const rejected = { ...record, model: 'made up', groupId: undefined, upstreamId: undefined }
    const text = countedBy('keys', { ...rejected, status: 404, reason: 'model_not_found' }).join()
    expect(text).not.toContain('made up')
    expect(text).toContain('model="",group="",upstream="",outcome="error"} 1')
  })

  test.each([
    ['off', undefined],
    ['accounts', '{account="acme",key=""}'],
    ['keys', '{account="acme",key="key-1"}'],
  ] as const)('its account and key, with metricsOwners %s', (owners, labels) => {
    const lines = countedBy(owners, record)
    if (labels === undefined) expect(lines.join()).not.toContain('acme')
    else {
      expect(lines).toContain(`tollgate_owner_requests_total${labels} 1`)
      expect(lines).toContain(`tollgate_owner_input_tokens_total${labels} 7`)
      expect(lines).toContain(`tollgate_owner_output_tokens_total${labels} 5`)
      expect(lines).toContain(`tollgate_owner_cost_dollars_total${labels} 1.5`)
    }
  })

  test('with any number of models and keys: the series are limited, and everything is counted', () => {
    const many = Array.from({ length: 3_000 }, (_, index) => {
      return { ...record, model: `m${index}`, keyId: `k${index}` }
    })
    const lines = countedBy('keys', ...many)
    for (const [name, seriesMax] of [
      ['tollgate_model_requests_total', 904],
      ['tollgate_owner_requests_total', 1_001],
      ['tollgate_request_seconds_count', 104],
    ] as const) {
      const series = lines.filter((line) => line.startsWith(`${name}{`))
      expect(series.length).toBeLessThanOrEqual(seriesMax)
      const total = series.reduce((sum, line) => sum + Number(line.split(' ').at(-1)), 0)
      expect(total).toBe(many.length)
    }
  })
})
