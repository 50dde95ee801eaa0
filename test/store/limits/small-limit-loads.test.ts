import { describe, expect, test } from 'bun:test'
import {
  type Arrivals,
  byMinute,
  type LoadCase,
  runLoad,
} from '../../support/limits/replica-load.ts'
import { seededRandom } from '../../support/seeded-random.ts'
import { sharedFixtures } from '../../support/store/engine-fixture.ts'

/* Replicas count small limits in the database: together they admit what one process would admit. */

const minuteMs = 60_000
const stepMs = 100
/** By then all replicas know each other. */
const joinedMs = 10_000
const forMs = joinedMs + 2 * minuteMs

/** Requests at random times and replicas. */
function random(perMinute: number, replicas: number, seed: number): Arrivals {
  const next = seededRandom(seed)
  return (atMs) => {
    if (atMs < joinedMs) return []
    const to: number[] = []
    for (let left = (perMinute * stepMs) / minuteMs; next() < left; left -= 1)
      to.push(Math.floor(next() * replicas))
    return to
  }
}

function bursts(everyMs: number, length: number): Arrivals {
  return (atMs) =>
    atMs >= joinedMs && atMs % everyMs === 0
      ? Array.from({ length }, () => (atMs / everyMs) % 3)
      : []
}

/** One kind of load, and after a minute another. */
const then =
  (before: Arrivals, after: Arrivals): Arrivals =>
  (atMs) =>
    (atMs < minuteMs ? before : after)(atMs)

interface Row extends Partial<LoadCase> {
  readonly name: string
  readonly perMinute: number
  readonly arrivals: Arrivals
  /** Requests more or less than one process would admit in a minute. */
  readonly tolerance?: number
}

/** New for each engine, because each load has its own chance. */
const rows = (): readonly Row[] => [
  ...[2, 5, 10, 20].flatMap((perMinute) =>
    [0.5, 1, 3].map(
      (times): Row => ({
        name: `${perMinute} per minute, ${times} times as many at random`,
        perMinute,
        arrivals: random(perMinute * times, 3, perMinute),
      }),
    ),
  ),
  {
    name: 'a burst, two thirds of it at one replica and nothing at another',
    perMinute: 300,
    arrivals: (atMs) =>
      atMs === joinedMs ? Array.from({ length: 400 }, (_, index) => (index % 3 === 0 ? 1 : 0)) : [],
    // A tenth may begin before it is counted.
    tolerance: 30,
  },
  {
    name: 'a burst of more than the largest small limit at one replica',
    perMinute: 6_000,
    arrivals: bursts(60_000, 7_000),
    tolerance: 600,
  },
  {
    name: 'more than the limit, every ten seconds at another replica',
    perMinute: 1_200,
    arrivals: (atMs) => (atMs < joinedMs ? [] : [0, 1, 2].map(() => Math.floor(atMs / 10_000) % 3)),
    tolerance: 120,
  },
  { name: 'many more than the limit', perMinute: 10, arrivals: random(600, 3, 7) },
  { name: 'bursts, each at another replica', perMinute: 30, arrivals: bursts(10_000, 12) },
  {
    name: 'a burst of the whole limit at one replica',
    perMinute: 60,
    arrivals: bursts(60_000, 70),
  },
  {
    name: 'one replica is killed',
    perMinute: 10,
    killedAt: { 2: minuteMs },
    arrivals: then(random(30, 3, 3), random(30, 2, 3)),
  },
  {
    name: 'one replica is added',
    perMinute: 10,
    startsAt: { 2: minuteMs },
    arrivals: then(random(30, 2, 3), random(30, 3, 3)),
    // The others do not know the new one at once.
    tolerance: 1,
  },
]

describe.each(sharedFixtures('small limits'))(
  'small limits of several replicas on $kind',
  (fixture) => {
    test.each([...rows()])('$name', async ({ perMinute, tolerance = 0, ...given }) => {
      const limit = { requestsPerMinute: perMinute }
      const load = { limit, replicas: 3, forMs, isCounting: true, ...given }
      const decisions = await runLoad(await fixture.openMigrated(), load)
      expect(decisions.length).toBeGreaterThan(0)
      for (const { startMs, admitted, exact } of byMinute(decisions, 0, forMs)) {
        const told = `minute from ${startMs / 1_000} s: ${admitted} instead of ${exact}`
        expect(Math.abs(admitted - exact), told).toBeLessThanOrEqual(tolerance)
      }
    })
  },
)
