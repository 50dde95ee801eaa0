import { describe, expect, test } from 'bun:test'
import { buildCatalog, type RouteWords } from './build-catalog.ts'
import { breakDown, pinTo, stagePlan } from './plan-stage.ts'

describe('the one upstream that will do', () => {
  const routes: RouteWords[] = [{ upstream: 'a' }, { upstream: 'b', priority: 1 }]

  test('is the only one in the plan, healthy or not', () => {
    const stage = stagePlan(buildCatalog({ routes }))
    expect(stage.order({ pin: pinTo('b') })).toEqual(['g b only'])
    breakDown(stage.find('b'), 1_000)
    expect(stage.order({ pin: pinTo('b'), monotonicMs: 1_001 })).toEqual(['g b only'])
  })

  test('leaves the plan empty when it does not have the model', () => {
    const stage = stagePlan(buildCatalog({ routes }))
    expect(stage.order({ pin: pinTo('c') })).toEqual([])
  })

  const both: RouteWords[] = [{ upstream: 'a', credentials: ['mine', 'theirs'] }]

  test('with the one credential, in any turn, healthy or not', () => {
    const stage = stagePlan(buildCatalog({ routes: both }))
    const pin = pinTo('a', 'theirs')
    for (let turn = 0; turn < 3; turn += 1) {
      expect(stage.order({ pin })).toEqual(['g a theirs'])
      stage.find('a', 'mine').state.enter(1_000)
    }
    stage.find('a', 'theirs').state.fail(1_000, 1_000, { blame: 'credential' })
    expect(stage.order({ pin })).toEqual(['g a theirs'])
  })

  test('leaves the plan empty when it has no credential of that name any more', () => {
    const stage = stagePlan(buildCatalog({ routes: both }))
    expect(stage.order({ pin: pinTo('a', 'gone') })).toEqual([])
  })
})
