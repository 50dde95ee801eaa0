import { describe, expect, test } from 'bun:test'
import { buildCatalog, type RouteWords } from './build-catalog.ts'
import { breakDown, pinTo, planFixture } from './plan-fixture.ts'

describe('the pinned upstream', () => {
  const routes: RouteWords[] = [{ upstream: 'a' }, { upstream: 'b', priority: 1 }]

  test('is the only one in the plan, healthy or not', () => {
    const fixture = planFixture(buildCatalog({ routes }))
    expect(fixture.order({ pin: pinTo('b') })).toEqual(['g b only'])
    breakDown(fixture.find('b'), 1_000)
    expect(fixture.order({ pin: pinTo('b'), monotonicMs: 1_001 })).toEqual(['g b only'])
  })

  test('leaves the plan empty when it does not serve the model', () => {
    const fixture = planFixture(buildCatalog({ routes }))
    expect(fixture.order({ pin: pinTo('c') })).toEqual([])
  })

  const both: RouteWords[] = [{ upstream: 'a', credentials: ['mine', 'theirs'] }]

  test('with the one credential, in any turn, healthy or not', () => {
    const fixture = planFixture(buildCatalog({ routes: both }))
    const pin = pinTo('a', 'theirs')
    for (let turn = 0; turn < 3; turn += 1) {
      expect(fixture.order({ pin })).toEqual(['g a theirs'])
      fixture.find('a', 'mine').state.enter(1_000)
    }
    fixture.find('a', 'theirs').state.fail(1_000, 1_000, { cause: 'credential' })
    expect(fixture.order({ pin })).toEqual(['g a theirs'])
  })

  test('leaves the plan empty when it has no credential of that name any more', () => {
    const fixture = planFixture(buildCatalog({ routes: both }))
    expect(fixture.order({ pin: pinTo('a', 'gone') })).toEqual([])
  })
})
