import { describe, expect, test } from 'bun:test'
import { repeats } from '../../support/repeats.ts'
import { type Report, simulateRouting } from './simulate-routing.ts'
import { dead, flapping, halfLocked, limited, well } from './simulated-upstream.ts'

const requests = 10_000
const perSecond = 50
const seeds = Array.from({ length: repeats(4) }, (_, index) => index + 1)

const triesOf = (report: Report, name: string) => report.tries.get(name) ?? 0
const answersOf = (report: Report, name: string) => report.answers.get(name) ?? 0
/** The maximum of the retry budget. */
const retriesMost = ({ seconds }: Report) => requests * 0.1 + seconds * 3 + 100

function expectOrder(report: Report): void {
  expect(report.answered + report.failed).toBe(requests)
  expect(report.repeated).toBe(0)
  expect(report.leftInFlight).toBe(0)
  expect(report.retries).toBeLessThanOrEqual(retriesMost(report))
}

describe(`${requests} requests over upstreams that are each unhealthy in their own way`, () => {
  test.each(seeds)('seed %d', (seed) => {
    const report = simulateRouting({
      requests,
      perSecond,
      seed,
      upstreams: [
        well('good 1'),
        well('good 2'),
        well('slow', 8_000),
        dead('dead'),
        flapping('flapping', 20_000),
        limited('limited', 3),
        halfLocked('half locked'),
      ],
    })
    expectOrder(report)
    expect(report.answered).toBeGreaterThanOrEqual(requests * 0.999)
    expect(report.retriesDenied).toBe(0)
    // Five failures open the breaker; after that one request tests it now and then.
    expect(triesOf(report, 'dead')).toBeLessThanOrEqual(12)
    expect(triesOf(report, 'flapping') - answersOf(report, 'flapping')).toBeLessThanOrEqual(60)
    expect(triesOf(report, 'half locked bad 1')).toBe(1)
    expect(triesOf(report, 'half locked bad 2')).toBe(1)
    // The healthy upstreams share the load equally.
    const good = ['good 1', 'good 2', 'half locked'].map((name) => answersOf(report, name))
    expect(Math.min(...good)).toBeGreaterThan(requests / 7)
    expect(Math.max(...good)).toBeLessThan(Math.min(...good) * 1.15)
    expect(answersOf(report, 'slow')).toBeLessThan(Math.min(...good) / 2)
    expect(answersOf(report, 'slow')).toBeGreaterThan(0)
    const keys = ['half locked good 1', 'half locked good 2'].map((name) => triesOf(report, name))
    expect(Math.max(...keys)).toBeLessThan(Math.min(...keys) * 1.1)
    // It answers up to its limit of 6 per second, and gets few requests beyond it.
    expect(answersOf(report, 'limited')).toBeGreaterThan(report.seconds * 3)
    expect(triesOf(report, 'limited')).toBeLessThan(answersOf(report, 'limited') * 2)
  })
})

describe('an upstream that fails and recovers', () => {
  test.each(seeds)('no client notices, and it gets its share back: seed %d', (seed) => {
    const report = simulateRouting({
      requests,
      perSecond,
      seed,
      upstreams: [well('a'), well('b'), dead('c', 40_000, 100_000)],
    })
    expectOrder(report)
    expect(report.failed).toBe(0)
    expect(report.retries).toBeLessThanOrEqual(25)
    expect(report.heard.at(0)).toBe('c m out')
    expect(report.heard.at(-1)).toBe('c m back')
    const lastTenth = report.tenths.at(-1)?.get('c') ?? 0
    expect(lastTenth).toBeGreaterThan((requests / 10 / 3) * 0.8)
  })
})

describe('everything is down', () => {
  test.each(seeds)('every request is tried, and few are retried: seed %d', (seed) => {
    const upstreams = [dead('a'), dead('b'), dead('c')]
    const report = simulateRouting({ requests, perSecond, seed, upstreams })
    expectOrder(report)
    expect(report.answered).toBe(0)
    const tries = ['a', 'b', 'c'].reduce((sum, name) => sum + triesOf(report, name), 0)
    expect(tries).toBe(requests + report.retries)
    expect(report.retriesDenied).toBeGreaterThan(0)
  })

  test.each(seeds)('the first upstream that recovers is found soon: seed %d', (seed) => {
    const upstreams = [dead('a'), dead('b', 0, 60_000), dead('c')]
    const report = simulateRouting({ requests, perSecond, seed, upstreams })
    expectOrder(report)
    // Up to four tenths of the time may pass until a breaker is tested; from then on all requests are answered.
    const late = report.tenths.slice(5).reduce((sum, tenth) => sum + (tenth.get('b') ?? 0), 0)
    expect(late).toBeGreaterThanOrEqual(requests * 0.49)
  })
})

test('a seed is repeated exactly', () => {
  const upstreams = () => [well('a'), flapping('b', 10_000)]
  const run = () => simulateRouting({ requests: 1_000, perSecond, seed: 7, upstreams: upstreams() })
  expect(run()).toEqual(run())
})
