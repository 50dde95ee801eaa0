import type { HealthReading } from '../../console-api/ports/gateway-ports.ts'
import type { Clock } from '../../core/time/clock.ts'
import type { UpstreamView } from '../../routing/health-registry.ts'
import type { TargetHealth } from '../../routing/target-health.ts'

type Breaker = HealthReading['breaker']

interface TestOutcome {
  readonly isHealthy: boolean
}

/** The health of an upstream for display: absolute times, and one overall state. */
export function readHealth(
  view: UpstreamView,
  clock: Clock,
  lastTest?: TestOutcome,
): HealthReading | undefined {
  if (view.targets.length === 0) return lastTest && readTest(lastTest, view.inFlight)
  // A target exists once it was a candidate; only a response or a failure says anything about its health.
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
      [...view.credentials].map(([id, { rejectedUntilMs, rateLimitedUntilMs }]) => [
        id,
        rejectedUntilMs > 0
          ? { state: 'rejected', untilMs: onCalendar(rejectedUntilMs) }
          : {
              state: rateLimitedUntilMs > monotonicMs ? 'rate-limited' : 'working',
              untilMs: onCalendar(rateLimitedUntilMs),
            },
      ]),
    ),
  }
}

function breakerOf({ openUntilMs }: TargetHealth, monotonicMs: number): Breaker {
  if (openUntilMs === 0) return 'closed'
  return openUntilMs > monotonicMs ? 'open' : 'half-open'
}

/** No request has used the upstream yet, but a manual test has. */
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
  return lastTest.isHealthy ? 'healthy' : 'degraded'
}

/** People see "degraded" after fewer failures than the breaker needs to open. */
function isFailing({ failuresInRow, latencyMs }: TargetHealth): boolean {
  return failuresInRow > 1 || (failuresInRow === 1 && latencyMs === 0)
}

function stateOf(
  breakers: readonly Breaker[],
  targets: readonly TargetHealth[],
): HealthReading['state'] {
  if (breakers.every((breaker) => breaker === 'closed')) {
    return targets.some(isFailing) ? 'degraded' : 'healthy'
  }
  return breakers.some((breaker) => breaker === 'closed') ? 'degraded' : 'down'
}

function worstOf(breakers: readonly Breaker[]): Breaker {
  if (breakers.includes('open')) return 'open'
  return breakers.includes('half-open') ? 'half-open' : 'closed'
}

function mean(values: readonly number[]): number {
  return Math.round(values.reduce((sum, value) => sum + value, 0) / values.length)
}
