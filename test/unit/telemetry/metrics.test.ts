import { describe, expect, test } from 'bun:test'
import { Metrics } from '../../../src/telemetry/metrics.ts'

const comment = /^# (HELP [a-z_]+ .+|TYPE [a-z_]+ (counter|gauge|histogram))$/
const sample =
  /^[a-z_]+(\{[a-z_]+="([^"\\\n]|\\["\\n])*"(,[a-z_]+="([^"\\\n]|\\["\\n])*")*\})? -?[\d.e+-]+$/

describe('metrics', () => {
  test('the text has the format of Prometheus', () => {
    const metrics = new Metrics()
    const requests = metrics.counter('requests_total', 'Requests.', ['protocol', 'status'])
    const seconds = metrics.histogram('seconds', 'Duration.', ['protocol'], [0.1, 1])
    metrics.gauge('open', 'Open now.', () => 3)
    requests.add(['chat', '200'])
    requests.add(['chat', '200'], 2)
    requests.add(['chat', '429'])
    for (const value of [0.1, 0.11, 5]) seconds.observe(['chat'], value)
    expect(metrics.render()).toBe(
      [
        '# HELP requests_total Requests.',
        '# TYPE requests_total counter',
        'requests_total{protocol="chat",status="200"} 3',
        'requests_total{protocol="chat",status="429"} 1',
        '# HELP seconds Duration.',
        '# TYPE seconds histogram',
        'seconds_bucket{protocol="chat",le="0.1"} 1',
        'seconds_bucket{protocol="chat",le="1"} 2',
        'seconds_bucket{protocol="chat",le="+Inf"} 3',
        'seconds_sum{protocol="chat"} 5.21',
        'seconds_count{protocol="chat"} 3',
        '# HELP open Open now.',
        '# TYPE open gauge',
        'open 3',
        '',
      ].join('\n'),
    )
  })

  test('whatever a label contains, a line stays a line', () => {
    const metrics = new Metrics()
    const counter = metrics.counter('odd', 'Odd.', ['one', 'two'])
    for (const value of ['"', '\\', '\n', 'a"} 1\nfake 2', '', '😀', '\\n'])
      counter.add([value, 'x'])
    const lines = metrics.render().trimEnd().split('\n')
    for (const line of lines) expect(line).toMatch(line.startsWith('#') ? comment : sample)
    expect(lines).toHaveLength(9)
    expect(lines).toContain('odd{one="a\\"} 1\\nfake 2",two="x"} 1')
  })

  test('series are distinguished by all of their labels', () => {
    const metrics = new Metrics()
    const counter = metrics.counter('pairs', 'Pairs.', ['one', 'two'])
    for (const values of [
      ['a', 'b'],
      ['ab', ''],
      ['', 'ab'],
      ['b', 'a'],
    ])
      counter.add(values)
    expect(metrics.render().match(/^pairs\{.*\} 1$/gm)).toHaveLength(4)
  })

  test('without labels there are no braces', () => {
    const metrics = new Metrics()
    metrics.counter('plain', 'Plain.', []).add([])
    expect(metrics.render()).toContain('\nplain 1\n')
  })

  test('buckets never decrease, and the last has the total', () => {
    const metrics = new Metrics()
    const histogram = metrics.histogram('h', 'H.', [], [1, 2, 4, 8])
    for (let value = 0; value < 20; value += 0.5) histogram.observe([], value)
    const counts = [...metrics.render().matchAll(/^h_bucket.* (\d+)$/gm)].map((each) =>
      Number(each[1]),
    )
    expect(counts).toEqual([...counts].sort((left, right) => left - right))
    expect(counts.at(-1)).toBe(40)
  })

  test('label values of clients cannot grow it without limit', () => {
    const metrics = new Metrics()
    const counter = metrics.counter('many', 'Many.', ['name', 'kind'])
    for (let index = 0; index < 10_000; index += 1) counter.add([`n${index}`, 'x'])
    counter.add(['n0', 'x'])
    expect(metrics.render().split('\n').length).toBeLessThan(2_100)
    expect(metrics.render()).toContain('many{name="n0",kind="x"} 2\n')
  })
})
