import type { HealthReading } from '../console-api/gateway-ports.ts'
import type { Clock } from '../core/clock.ts'
import type { UpstreamView } from '../routing/health-book.ts'
import type { TargetHealth } from '../routing/target-health.ts'

type Breaker = HealthReading['breaker']

interface TestOutcome {
  readonly isWell: boolean
}

/** The health of an upstream for people: moments on the calendar, and one word for all. */
export function readHealth(
  view: UpstreamView,
  clock: Clock,
  lastTest?: TestOutcome,
): HealthReading | undefined {
  if (view.targets.length === 0) return lastTest && readTest(lastTest, view.inFlight)
  // A target is there once it was planned for, in the second place too; only an answer or a failure says anything.
  const targets = view.targets.filter(({ isKnown }) => isKnown)
  const monotonicMs = clock.monotonicMs()
  const onCalendar = (ms: number) =>
    ms > monotonicMs ? Math.round(clock.nowMs() + ms - monotonicMs) : undefined
  const breakers = targets.map((target) => breakerOf(target, monotonicMs))
  const latest = Math.max(...targets.map((target) => target.openUntilMs))
  const measured = targets.filter((target) => target.latencyMs > 0)
  return {
    state: targets.length === 0 ? testState(lastTest) : stateOf(breakers, targets),
    breaker: worstOf(breakers),
    openUntilMs: onCalendar(latest),
    firstTokenMs:
      measured.length === 0 ? undefined : mean(measured.map(({ latencyMs }) => latencyMs)),
    inFlight: view.inFlight,
    models: targets.map((target, index) => ({
      upstreamModel: target.model,
      breaker: breakers[index] ?? 'closed',
      openUntilMs: onCalendar(target.openUntilMs),
      failuresInRow: target.failuresInRow,
      firstTokenMs: target.latencyMs > 0 ? Math.round(target.latencyMs) : undefined,
    })),
    credentials: new Map(
      [...view.credentials].map(([id, { deadUntilMs, restUntilMs }]) => [
        id,
        deadUntilMs > 0
          ? { state: 'refused', untilMs: onCalendar(deadUntilMs) }
          : {
              state: restUntilMs > monotonicMs ? 'resting' : 'well',
              untilMs: onCalendar(restUntilMs),
            },
      ]),
    ),
  }
}

function breakerOf({ openUntilMs }: TargetHealth, monotonicMs: number): Breaker {
  if (openUntilMs === 0) return 'closed'
  return openUntilMs > monotonicMs ? 'open' : 'half-open'
}

/** No request has been there yet; somebody has tried it out. */
function readTest(lastTest: TestOutcome, inFlight: number): HealthReading {
  return {
    state: testState(lastTest),
    breaker: 'closed',
    openUntilMs: undefined,
    firstTokenMs: undefined,
    inFlight,
    models: [],
    credentials: new Map(),
  }
}

function testState(lastTest: TestOutcome | undefined): HealthReading['state'] {
  if (lastTest === undefined) return 'unknown'
  return lastTest.isWell ? 'well' : 'ill'
}

/** A breaker waits for more failures than a person needs to see that something is wrong. */
function isFailing({ failuresInRow, latencyMs }: TargetHealth): boolean {
  return failuresInRow > 1 || (failuresInRow === 1 && latencyMs === 0)
}

function stateOf(
  breakers: readonly Breaker[],
  targets: readonly TargetHealth[],
): HealthReading['state'] {
  if (breakers.every((breaker) => breaker === 'closed')) {
    return targets.some(isFailing) ? 'ill' : 'well'
  }
  return breakers.some((breaker) => breaker === 'closed') ? 'ill' : 'out'
}

function worstOf(breakers: readonly Breaker[]): Breaker {
  if (breakers.includes('open')) return 'open'
  return breakers.includes('half-open') ? 'half-open' : 'closed'
}

function mean(values: readonly number[]): number {
  return Math.round(values.reduce((sum, value) => sum + value, 0) / values.length)
}
