import { expect, test } from 'bun:test'
import { readHealth } from '../../../src/app/upstreams/read-health.ts'
import { TargetHealth } from '../../../src/routing/target-health.ts'

const clock = { nowMs: () => 1_000_000, monotonicMs: () => 500 }
const nobody = new Map<string, { rejectedUntilMs: number; rateLimitedUntilMs: number }>()

function target(model: string, failures: number, latencyMs: number): TargetHealth {
  const health = new TargetHealth('one', model)
  for (let count = 0; count < failures; count += 1) health.fail(500, 500, 0.5)
  if (latencyMs > 0) health.noteFirstToken(latencyMs)
  return health
}

test('an upstream without requests has no health state', () => {
  expect(readHealth({ targets: [], inFlight: 0, credentials: nobody }, clock)).toBeUndefined()
})

test('one state for all models, with dates', () => {
  const healthy = target('a', 1, 120)
  const broken = target('b', 5, 0)
  const read = (targets: TargetHealth[]) =>
    readHealth({ targets, inFlight: 3, credentials: nobody }, clock)
  expect(read([healthy])).toMatchObject({
    state: 'healthy',
    breaker: 'closed',
    openUntilMs: undefined,
    firstTokenMs: 120,
    inFlight: 3,
    models: [{ upstreamModel: 'a', failuresInRow: 1 }],
  })
  expect(read([healthy, broken])).toMatchObject({ state: 'degraded', breaker: 'open' })
  expect(read([broken])).toMatchObject({ state: 'down', openUntilMs: 1_030_000 })
})

test('an upstream that was only planned for has no health state, and its test counts', () => {
  const planned = { targets: [target('a', 0, 0)], inFlight: 0, credentials: nobody }
  expect(readHealth(planned, clock)).toMatchObject({ state: 'unknown', openUntilMs: undefined })
  expect(readHealth(planned, clock, { isHealthy: false })?.state).toBe('degraded')
  const refused = new Map([['dead', { rejectedUntilMs: 700, rateLimitedUntilMs: 0 }]])
  const credentials = readHealth({ ...planned, credentials: refused }, clock)?.credentials
  expect(credentials?.get('dead')?.state).toBe('rejected')
  const answered = target('c', 0, 0)
  answered.succeed(500, 500)
  expect(readHealth({ ...planned, targets: [answered] }, clock)?.state).toBe('healthy')
  const both = { ...planned, targets: [target('a', 0, 0), target('b', 0, 120)] }
  expect(readHealth(both, clock)?.models).toMatchObject([{ upstreamModel: 'b' }])
})

test('the result of a manual test is known before the first request', () => {
  const nothing = { targets: [], inFlight: 0, credentials: nobody }
  expect(readHealth(nothing, clock, { isHealthy: true })?.state).toBe('healthy')
  expect(readHealth(nothing, clock, { isHealthy: false })?.state).toBe('degraded')
})

const failing: [
  name: string,
  failures: number,
  latencyMs: number,
  state: 'healthy' | 'degraded',
][] = [
  ['one failure after answers', 1, 120, 'healthy'],
  ['one failure and never an answer', 1, 0, 'degraded'],
  ['two failures in a row after answers', 2, 120, 'degraded'],
  ['three of three connections failed', 3, 0, 'degraded'],
]
test.each(failing)(
  'the breaker is closed, but the console shows: %s',
  (_, failures, latencyMs, state) => {
    const view = { targets: [target('a', failures, latencyMs)], inFlight: 0, credentials: nobody }
    expect(readHealth(view, clock)).toMatchObject({ state, breaker: 'closed' })
  },
)

test('credentials that are rejected, rate-limited or healthy', () => {
  const credentials = new Map([
    ['dead', { rejectedUntilMs: 700, rateLimitedUntilMs: 0 }],
    ['limited', { rejectedUntilMs: 0, rateLimitedUntilMs: 600 }],
    ['no longer limited', { rejectedUntilMs: 0, rateLimitedUntilMs: 400 }],
  ])
  const view = { targets: [target('a', 0, 1)], inFlight: 0, credentials }
  expect(readHealth(view, clock)?.credentials).toEqual(
    new Map([
      ['dead', { state: 'rejected', untilMs: 1_000_200 }],
      ['limited', { state: 'rate-limited', untilMs: 1_000_100 }],
      ['no longer limited', { state: 'working', untilMs: undefined }],
    ]),
  )
})
