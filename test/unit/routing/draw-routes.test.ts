import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { type DrawReason, drawRoutes } from '../../../src/routing/draw-routes.ts'
import { HealthRegistry } from '../../../src/routing/health-registry.ts'
import type { RouteCandidates } from '../../../src/routing/route-set.ts'
import { routeSetOf } from '../../../src/routing/route-set.ts'
import { seededRandom } from '../../support/seeded-random.ts'
import { buildCatalog } from './build-catalog.ts'
import { eventsInto } from './plan-fixture.ts'

/** Routes u0, u1, … of one priority with these weights. */
function lanesOf(weights: readonly number[]): RouteCandidates[] {
  const catalog = buildCatalog({
    routes: weights.map((weight, index) => ({ upstream: `u${index}`, weight })),
  })
  const group = catalog.groups.get('g')
  const model = catalog.models.get('m')
  const price = model?.prices[0]
  if (!group || !model || !price) return []
  const health = new HealthRegistry(eventsInto([]), () => 0.5)
  const routes = catalog.routes.get('g')?.get('m') ?? []
  return [...routeSetOf(routes, group, model, price, health).options]
}

const idOf = (option: RouteCandidates | undefined) => option?.route.upstream.id ?? ''
const targetOf = (option: RouteCandidates | undefined) => {
  const target = option?.candidates[0]?.state.target
  if (!target) throw new Error('no target')
  return target
}

/** How often each route is drawn first. */
function firstDraws(options: readonly RouteCandidates[], rounds: number): (id: string) => number {
  const random = seededRandom(7)
  const counts = new Map<string, number>()
  for (let round = 0; round < rounds; round += 1) {
    const drawn = [...options]
    drawRoutes(drawn, random)
    const id = idOf(drawn[0])
    counts.set(id, (counts.get(id) ?? 0) + 1)
  }
  return (id) => counts.get(id) ?? 0
}

function expectShare(count: number, share: number, rounds: number): void {
  const spread = 5 * Math.sqrt(share * (1 - share) * rounds)
  expect(Math.abs(count - share * rounds)).toBeLessThanOrEqual(spread)
}

const someWeights = fc.array(fc.nat({ max: 5 }), { maxLength: 8 })
const anyRandom = fc.oneof(
  fc.integer().map(seededRandom),
  fc.constantFrom(
    () => 0,
    () => 1 - Number.EPSILON / 2,
  ),
)

describe('the order of routes of one priority', () => {
  test('every route once, reserves last', () => {
    fc.assert(
      fc.property(someWeights, anyRandom, (weights, random) => {
        const options = lanesOf(weights)
        const drawn = [...options]
        drawRoutes(drawn, random)
        expect(drawn.map(idOf).sort()).toEqual(options.map(idOf).sort())
        const reserve = drawn.findIndex(({ route }) => route.weight === 0)
        if (reserve < 0) return
        expect(drawn.slice(reserve).every(({ route }) => route.weight === 0)).toBe(true)
      }),
    )
  })

  test('first draws follow the weights at equal load', () => {
    const rounds = 20_000
    const count = firstDraws(lanesOf([1, 3, 6]), rounds)
    expectShare(count('u0'), 0.1, rounds)
    expectShare(count('u1'), 0.3, rounds)
    expectShare(count('u2'), 0.6, rounds)
  })

  test('later draws follow the weights of the remaining routes', () => {
    const random = seededRandom(11)
    const options = lanesOf([1, 3, 6])
    let rounds = 0
    let lightest = 0
    for (let round = 0; round < 20_000; round += 1) {
      const drawn = [...options]
      drawRoutes(drawn, random)
      if (idOf(drawn[0]) !== 'u2') continue
      rounds += 1
      if (idOf(drawn[1]) === 'u0') lightest += 1
    }
    expectShare(lightest, 0.25, rounds)
  })

  test('the less loaded of two drawn routes: fewer requests in flight, or a shorter time to first token', () => {
    const rounds = 20_000
    const busy = lanesOf([1, 1])
    targetOf(busy[0]).inFlight = 10
    // The busy route is first only when it is drawn twice.
    expectShare(firstDraws(busy, rounds)('u0'), 0.25, rounds)
    const slow = lanesOf([1, 1])
    targetOf(slow[0]).noteFirstToken(900)
    targetOf(slow[1]).noteFirstToken(300)
    expectShare(firstDraws(slow, rounds)('u0'), 0.25, rounds)
  })

  test('requests in flight are relative to the weight', () => {
    const rounds = 20_000
    const options = lanesOf([1, 9])
    targetOf(options[0]).inFlight = 10
    targetOf(options[1]).inFlight = 90
    expectShare(firstDraws(options, rounds)('u0'), 0.1, rounds)
  })

  test('a small difference, or an unknown time, changes nothing', () => {
    const rounds = 20_000
    const near = lanesOf([1, 1])
    targetOf(near[0]).noteFirstToken(510)
    targetOf(near[1]).noteFirstToken(500)
    expectShare(firstDraws(near, rounds)('u0'), 0.5, rounds)
    const unmeasured = lanesOf([1, 1])
    targetOf(unmeasured[0]).noteFirstToken(5_000)
    expectShare(firstDraws(unmeasured, rounds)('u0'), 0.5, rounds)
  })

  test('an unhealthy route has less weight, but never none', () => {
    const rounds = 20_000
    const options = lanesOf([1, 1])
    targetOf(options[0]).healthScore = 0
    expectShare(firstDraws(options, rounds)('u0'), 0.1 / 1.1, rounds)
  })

  test('reports when load has decided', () => {
    const options = lanesOf([1, 1])
    targetOf(options[0]).inFlight = 10
    const numbers = [0, 0.9]
    const reason: DrawReason = drawRoutes([...options], () => numbers.shift() ?? 0)
    expect(reason).toBe('load')
    expect(drawRoutes([...options], () => 0.9)).toBe('weight')
  })

  test('a single route needs no draw', () => {
    const never = () => {
      throw new Error('drawn')
    }
    expect(drawRoutes(lanesOf([0]), never)).toBe('weight')
    expect(drawRoutes([], never)).toBe('weight')
  })
})
