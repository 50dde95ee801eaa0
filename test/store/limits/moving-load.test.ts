import { describe, expect, test } from 'bun:test'
import {
  type Arrivals,
  byMinute,
  type LoadCase,
  longestExcessMs,
  runLoad,
} from '../../support/limits/replica-load.ts'
import { patience } from '../../support/patience.ts'
import { sharedFixtures } from '../../support/store/engine-fixture.ts'

const minuteMs = 60_000
const movedMs = 2 * minuteMs
const stepMs = 100

/** The replica of a request, by its number and time. */
type Balancer = (count: number, atMs: number) => number

/** Requests at equal intervals. */
function steady(perMinute: number, to: Balancer): Arrivals {
  const before = (atMs: number) => Math.ceil((atMs * perMinute) / minuteMs)
  return (atMs) => {
    const first = before(atMs)
    const length = before(atMs + stepMs) - first
    return Array.from({ length }, (_, index) => to(first + index, atMs))
  }
}

/** Requests at the same time. */
function bursts(everyMs: number, length: number, to: Balancer): Arrivals {
  return (atMs) =>
    atMs % everyMs === 0 ? Array.from({ length }, (_, index) => to(index, atMs)) : []
}

const inTurns =
  (replicas: number): Balancer =>
  (count) =>
    count % replicas
const burstsInTurn = bursts(30_000, 24, (_, atMs) => (atMs / 30_000) % 3)
const moving: Balancer = (_, atMs) => (atMs < movedMs ? 0 : 1)

interface Row extends Partial<LoadCase> {
  readonly name: string
  /** Requests per minute; 600 unless given. */
  readonly perMinute?: number
  readonly arrivals: Arrivals
  /** The least part of the limit that is used in each minute; nine tenths unless given. */
  readonly least?: number
  /** The minutes that count begin then; after the first minute unless given. */
  readonly fromMs?: number
}

const rows: readonly Row[] = [
  { name: 'steady, too many', arrivals: steady(1_200, inTurns(3)), least: 1 },
  { name: 'steady, below the limit', arrivals: steady(540, inTurns(3)), least: 1 },
  {
    name: 'begins at one replica after a quiet minute',
    arrivals: (atMs) => (atMs < movedMs ? [] : steady(3_600, () => 1)(atMs)),
  },
  { name: 'moves to another replica, too many', arrivals: steady(1_200, moving) },
  { name: 'moves to another replica, below the limit', arrivals: steady(540, moving) },
  {
    name: 'moves to the other one of two',
    perMinute: 60,
    replicas: 2,
    arrivals: steady(120, moving),
  },
  {
    name: 'moves every 20 s',
    arrivals: steady(1_200, (_, atMs) => Math.floor(atMs / 20_000) % 3),
  },
  {
    name: 'one of three is drained',
    arrivals: steady(1_200, (count, atMs) => count % (atMs < movedMs ? 3 : 2)),
  },
  {
    name: 'one of three is killed',
    killedAt: { 2: movedMs },
    arrivals: steady(1_200, (count, atMs) => count % (atMs < movedMs ? 3 : 2)),
  },
  {
    name: 'one of two is killed',
    replicas: 2,
    killedAt: { 1: movedMs },
    arrivals: steady(1_200, (count, atMs) => (atMs < movedMs ? count % 2 : 0)),
  },
  {
    name: 'the one with all requests is killed',
    killedAt: { 2: movedMs },
    arrivals: steady(1_200, (_, atMs) => (atMs < movedMs ? 2 : 0)),
  },
  {
    name: 'one is added',
    startsAt: { 2: movedMs },
    arrivals: steady(1_200, (count, atMs) => count % (atMs < movedMs + 1_500 ? 2 : 3)),
  },
  { name: '90 to 10, too many', arrivals: steady(1_200, (count) => (count % 10 === 0 ? 1 : 0)) },
  { name: '90 to 10, at the limit', arrivals: steady(600, (count) => (count % 10 === 0 ? 1 : 0)) },
  {
    name: '90 to 10, then 10 to 90',
    arrivals: steady(1_200, (count, atMs) => ((count % 10 === 0) === atMs < movedMs ? 1 : 0)),
  },
  {
    name: 'bursts over all replicas',
    perMinute: 60,
    arrivals: bursts(10_000, 8, inTurns(3)),
    least: 1,
  },
  {
    name: 'bursts, each at another replica, which admits its equal part of them',
    perMinute: 60,
    arrivals: burstsInTurn,
    least: 20 / 24,
    fromMs: 90_000,
  },
  {
    name: 'bursts, the first of which leave what the others may have used',
    perMinute: 60,
    arrivals: burstsInTurn,
    least: 15 / 24,
  },
  ...[3, 10].flatMap((perMinute): Row[] => [
    {
      name: `${perMinute} per minute, at the limit`,
      perMinute,
      arrivals: steady(perMinute, inTurns(3)),
      least: 1,
    },
    {
      name: `${perMinute} per minute, too many`,
      perMinute,
      arrivals: steady(3 * perMinute, inTurns(3)),
      least: 1,
    },
    { name: `${perMinute} per minute, far too many`, perMinute, arrivals: steady(200, inTurns(3)) },
  ]),
]

const fixtures = sharedFixtures('moving load')

describe.each(fixtures.slice(0, 1))('a limit of several replicas on $kind', (fixture) => {
  test.each([...rows])(
    '$name',
    async ({ name, perMinute = 600, least = 0.9, fromMs = minuteMs, ...given }) => {
      const forMs = movedMs + 2 * minuteMs
      const load = { limit: { requestsPerMinute: perMinute }, replicas: 3, forMs, ...given }
      const decisions = await runLoad(await fixture.openMigrated(), load)
      for (const { startMs, admitted, exact } of byMinute(decisions, fromMs, forMs)) {
        // A request more or less is the moment at which it came.
        const told = `${name}, minute from ${startMs / 1_000} s`
        expect(admitted, told).toBeGreaterThanOrEqual(Math.floor(least * exact - 1))
        expect(admitted, told).toBeLessThanOrEqual(Math.ceil(1.1 * exact + 1))
      }
      // As much longer as an exchange takes, and the next request at this replica is later than the share.
      expect(longestExcessMs(decisions)).toBeLessThanOrEqual(1_500)
    },
    patience(60_000),
  )
})
