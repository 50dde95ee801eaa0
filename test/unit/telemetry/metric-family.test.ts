import { expect, test } from 'bun:test'
import {
  joinFamilies,
  keepCounts,
  type MetricFamily,
  renderFamilies,
} from '../../../src/telemetry/metric-family.ts'
import { Metrics } from '../../../src/telemetry/metrics.ts'

function readProcess(values: { asked: number; age: number; up: number; took: number }) {
  const metrics = new Metrics()
  metrics.counter('asked_total', 'Asked.', ['who']).add(['a'], values.asked)
  metrics.gauge('open', 'Open.', () => values.asked)
  metrics.gauge('age_seconds', 'Age.', () => values.age, 'largest')
  metrics.gauge('up', 'Up.', () => values.up, 'smallest')
  metrics.histogram('took_seconds', 'Took.', [], [1, 5]).observe([], values.took)
  metrics.counter('build_info', 'Always 1.', ['version'], 'largest').add(['7'])
  return metrics.read()
}

const one = readProcess({ asked: 3, age: 10, up: 1, took: 0.5 })
const two = readProcess({ asked: 4, age: 2, up: 0, took: 3 })

function valuesOf(families: readonly MetricFamily[]): Record<string, number> {
  return Object.fromEntries(families.flatMap(({ samples }) => samples))
}

test('the metrics of two workers are those of one process', () => {
  expect(valuesOf(joinFamilies([one, two]))).toEqual({
    'asked_total{who="a"}': 7,
    open: 7,
    age_seconds: 10,
    up: 0,
    'took_seconds_bucket{le="1"}': 1,
    'took_seconds_bucket{le="5"}': 2,
    'took_seconds_bucket{le="+Inf"}': 2,
    took_seconds_sum: 3.5,
    took_seconds_count: 2,
    'build_info{version="7"}': 1,
  })
})

test('a worker that has ended keeps its counts and nothing else', () => {
  const left = valuesOf(joinFamilies([two, keepCounts(one)]))
  expect(left).toMatchObject({ 'asked_total{who="a"}': 7, took_seconds_count: 2, open: 4 })
  expect(left).toMatchObject({ age_seconds: 2, 'build_info{version="7"}': 1 })
})

test('each metric is described once, and a series of only one worker is included', () => {
  const metrics = new Metrics()
  metrics.counter('asked_total', 'Asked.', ['who']).add(['b'])
  const text = renderFamilies(joinFamilies([one, metrics.read()]))
  expect(text.match(/^# TYPE asked_total counter$/gm)).toHaveLength(1)
  expect(text).toContain('asked_total{who="a"} 3\nasked_total{who="b"} 1\n')
})
