import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import type { Route } from '../../../src/catalog/catalog-snapshot.ts'
import { orderRoutes } from '../../../src/routing/order-routes.ts'
import { seededRandom } from './seeded-random.ts'

function route(id: string, priority: number, weight: number): Route {
  const upstream = { id, vendor: 'v', protocol: 'p', baseUrl: 'http://u', credential: undefined }
  return { groupId: 'g', modelId: 'm', upstream, upstreamModel: 'm', priority, weight }
}

function idsOf(routes: readonly Route[]): string[] {
  return routes.map((each) => each.upstream.id)
}

/** How often each route is drawn first. */
function firstDraws(routes: readonly Route[], rounds: number): Map<string, number> {
  const random = seededRandom(7)
  const counts = new Map<string, number>()
  for (let round = 0; round < rounds; round += 1) {
    const id = orderRoutes(routes, random)[0]?.upstream.id ?? ''
    counts.set(id, (counts.get(id) ?? 0) + 1)
  }
  return counts
}

const someRoutes = fc
  .array(fc.tuple(fc.integer({ min: -2, max: 3 }), fc.nat({ max: 5 })), { maxLength: 8 })
  .map((rows) => rows.map(([priority, weight], index) => route(`u${index}`, priority, weight)))
const anyRandom = fc.oneof(
  fc.integer().map(seededRandom),
  fc.constantFrom(
    () => 0,
    () => 1 - Number.EPSILON / 2,
  ),
)

describe('order of routes', () => {
  test('every route once, priorities rising, the list given untouched', () => {
    fc.assert(
      fc.property(someRoutes, anyRandom, (routes, random) => {
        const before = [...routes]
        const ordered = orderRoutes(routes, random)
        expect(routes).toEqual(before)
        expect(idsOf(ordered).sort()).toEqual(idsOf(routes).sort())
        const priorities = ordered.map((each) => each.priority)
        expect(priorities).toEqual([...priorities].sort((left, right) => left - right))
      }),
    )
  })

  test('a weight of 0 comes after all others of its priority, and is still there', () => {
    fc.assert(
      fc.property(someRoutes, anyRandom, (routes, random) => {
        const tiers = Map.groupBy(orderRoutes(routes, random), (each) => each.priority)
        for (const tier of tiers.values()) {
          const firstReserve = tier.findIndex((each) => each.weight === 0)
          if (firstReserve < 0) continue
          expect(tier.slice(firstReserve).every((each) => each.weight === 0)).toBe(true)
        }
      }),
    )
  })

  test('first draws follow the weights', () => {
    const rounds = 20_000
    const routes = [route('a', 0, 1), route('b', 0, 3), route('c', 0, 6), route('later', 1, 90)]
    const counts = firstDraws(routes, rounds)
    expect(counts.has('later')).toBe(false)
    for (const [id, share] of [
      ['a', 0.1],
      ['b', 0.3],
      ['c', 0.6],
    ] as const) {
      const spread = 5 * Math.sqrt(share * (1 - share) * rounds)
      expect(Math.abs((counts.get(id) ?? 0) - share * rounds)).toBeLessThan(spread)
    }
  })

  test('later draws follow the weights of those that are left', () => {
    const random = seededRandom(11)
    const routes = [route('a', 0, 1), route('b', 0, 3), route('c', 0, 6)]
    const seconds = { a: 0, b: 0 }
    for (let round = 0; round < 20_000; round += 1) {
      const [first, second] = idsOf(orderRoutes(routes, random))
      if (first === 'c' && (second === 'a' || second === 'b')) seconds[second] += 1
    }
    const total = seconds.a + seconds.b
    expect(Math.abs(seconds.a - total / 4)).toBeLessThan(5 * Math.sqrt(total * 0.25 * 0.75))
  })

  test('one route needs no draw', () => {
    const never = () => {
      throw new Error('drawn')
    }
    expect(idsOf(orderRoutes([route('only', 3, 0)], never))).toEqual(['only'])
    expect(orderRoutes([], never)).toEqual([])
  })
})
