import type { HealthReading } from '../console-api/gateway-ports.ts'
import type { Clock } from '../core/clock.ts'
import type { UpstreamView } from '../routing/health-book.ts'
import type { TargetHealth } from '../routing/target-health.ts'

type Breaker = HealthReading['breaker']

/** The health of an upstream for people: moments on the calendar, and one word for all. */
export function readHealth(view: UpstreamView, clock: Clock): HealthReading | undefined {
  if (view.targets.length === 0) return undefined
  const monotonicMs = clock.monotonicMs()
  const onCalendar = (ms: number) =>
    ms > monotonicMs ? Math.round(clock.nowMs() + ms - monotonicMs) : undefined
  const breakers = view.targets.map((target) => breakerOf(target, monotonicMs))
  const latest = Math.max(...view.targets.map((target) => target.openUntilMs))
  const measured = view.targets.filter((target) => target.latencyMs > 0)
  return {
    state: stateOf(breakers),
    breaker: worstOf(breakers),
    openUntilMs: onCalendar(latest),
    firstTokenMs:
      measured.length === 0 ? undefined : mean(measured.map(({ latencyMs }) => latencyMs)),
    inFlight: view.inFlight,
    models: view.targets.map((target, index) => ({
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

function stateOf(breakers: readonly Breaker[]): HealthReading['state'] {
  if (breakers.every((breaker) => breaker === 'closed')) return 'well'
  return breakers.some((breaker) => breaker === 'closed') ? 'ill' : 'out'
}

function worstOf(breakers: readonly Breaker[]): Breaker {
  if (breakers.includes('open')) return 'open'
  return breakers.includes('half-open') ? 'half-open' : 'closed'
}

function mean(values: readonly number[]): number {
  return Math.round(values.reduce((sum, value) => sum + value, 0) / values.length)
}
