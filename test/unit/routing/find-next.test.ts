import { describe, expect, test } from 'bun:test'
import type { FailureCause } from '../../../src/routing/failure-cause.ts'
import { findNext } from '../../../src/routing/find-next.ts'
import { buildCatalog } from './build-catalog.ts'
import { breakDown, planFixture } from './plan-fixture.ts'

const nowMs = 1_000
const own = { concurrencyMax: 1 }

/** One upstream with two credentials, and a second upstream. */
function openFixture() {
  const catalog = buildCatalog({
    routes: [
      { upstream: 'a', credentials: ['first', 'second'], own },
      { upstream: 'b', priority: 1 },
    ],
  })
  const { candidates } = planFixture(catalog).plan()
  const [first, , last] = candidates
  if (!first || !last) throw new Error('the plan has changed')
  const nextAfter = (...causes: FailureCause[]) => {
    const tried = [first, last]
    const failed = causes.map((cause, index) => ({ candidate: tried[index] ?? last, cause }))
    const next = candidates[findNext(candidates, failed, nowMs)]
    return next && `${next.route.upstream.id} ${next.credential?.name}`
  }
  return { candidates, first, last, nextAfter }
}

describe('the next candidate after a failure', () => {
  test.each<[FailureCause[], string | undefined]>([
    [['upstream'], 'b only'],
    [['request'], 'b only'],
    [['credential'], 'a second'],
    [['limit'], 'a second'],
    [['connection'], 'a first'],
    [['upstream', 'upstream'], undefined],
    [['upstream', 'connection'], 'b only'],
    [['credential', 'connection'], 'b only'],
  ])('%j', (causes, expected) => {
    expect(openFixture().nextAfter(...causes)).toBe(expected)
  })

  test('is not the same one when it has become full', () => {
    const { first, nextAfter } = openFixture()
    first.state.enter(nowMs)
    expect(nextAfter('connection')).toBe('b only')
  })

  test('is not the same one when it has become unhealthy', () => {
    const { first, nextAfter } = openFixture()
    breakDown(first, nowMs)
    expect(nextAfter('connection')).toBe('b only')
  })

  test('is not the same one when its credential has no room for it any more', () => {
    const { first, candidates } = openFixture()
    const failed = (['credential', 'connection'] as const).map((cause) => ({
      candidate: first,
      cause,
    }))
    expect(candidates[findNext(candidates, failed, nowMs)]?.credential?.name).toBe('second')
    expect(findNext([first], failed, nowMs)).toBe(-1)
  })

  test('a stale connection does not affect health', () => {
    const { first } = openFixture()
    for (let count = 0; count < 100; count += 1)
      first.state.fail(nowMs, nowMs, { cause: 'connection' })
    expect(first.state.isHealthy(nowMs)).toBe(true)
    expect(first.state.target).toMatchObject({ healthScore: 1, failuresInRow: 0 })
  })
})
