import { describe, expect, test } from 'bun:test'
import { withoutSpares } from '../../../src/routing/plan.ts'
import type { PlanParams } from '../../../src/routing/plan-params.ts'
import { buildCatalog, type RouteWords } from './build-catalog.ts'
import { breakDown, type PlanFixture, planFixture } from './plan-fixture.ts'

describe('a fallback model', () => {
  const catalog = buildCatalog({
    routes: [
      { model: 'm', upstream: 'a' },
      { model: 'n', upstream: 'b' },
      { model: 'o', upstream: 'c' },
    ],
    groups: { g: { fallbacks: new Map([['m', ['n', 'o']]]) } },
  })
  const ids = (fixture: PlanFixture, own: Partial<PlanParams> = {}) =>
    fixture.plan({ monotonicMs: 1_001, ...own }).candidates.map(({ model }) => model.id)

  test('only when no route of the model is healthy, in the order of the group', () => {
    const fixture = planFixture(catalog)
    expect(ids(fixture)).toEqual(['m'])
    breakDown(fixture.find('a'), 1_000)
    expect(ids(fixture)).toEqual(['n', 'o'])
    expect(fixture.plan({ monotonicMs: 1_001 }).reasons[0]).toBe('priority')
  })

  test('only one that the key may call, and that is healthy itself', () => {
    const fixture = planFixture(catalog)
    breakDown(fixture.find('a'), 1_000)
    expect(ids(fixture, { models: new Set(['m', 'o']) })).toEqual(['o'])
    expect(ids(fixture, { models: new Set(['m']) })).toEqual(['m'])
    breakDown(fixture.find('b'), 1_000)
    breakDown(fixture.find('c'), 1_000)
    expect(ids(fixture)).toEqual(['m'])
  })

  test('also when the limits of credentials may refuse all healthy routes', () => {
    const values = { requestsPerMinute: 1, tokensPerMinute: null, concurrentRequests: null }
    const limits = { owner: 'credential', name: 'credential:limited', values } as const
    const credential = { id: 'limited', name: 'limited', value: 'secret', hint: '…', limits }
    const own = { credentials: [credential] }
    const limited = (others: readonly RouteWords[]) =>
      planFixture(
        buildCatalog({
          routes: [
            { model: 'm', upstream: 'limited', own },
            { model: 'n', upstream: 'b' },
            ...others,
          ],
          groups: { g: { fallbacks: new Map([['m', ['n']]]) } },
        }),
      )
    const fixture = limited([])
    expect(ids(fixture)).toEqual(['m', 'n'])
    expect(ids(fixture, { models: new Set(['m']) })).toEqual(['m'])
    expect(ids(fixture, { pin: { upstreamId: 'limited', credentialName: 'limited' } })).toEqual([
      'm',
    ])
    const unlimited = limited([{ model: 'm', upstream: 'a', priority: 1 }])
    expect(ids(unlimited)).toEqual(['m', 'm'])
    breakDown(unlimited.find('a'), 1_000)
    expect(ids(unlimited)).toEqual(['m', 'n'])
    breakDown(unlimited.find('limited'), 1_000)
    expect(ids(unlimited)).toEqual(['n'])
  })

  test('continues a response that it has made, if the requested model is not at that upstream', () => {
    const fixture = planFixture(catalog)
    const pin = (upstreamId: string, model?: string, own: Partial<PlanParams> = {}) =>
      ids(fixture, { pin: { upstreamId, credentialName: 'only', ...(model && { model }) }, ...own })
    expect(pin('b', 'n')).toEqual(['n'])
    expect(pin('c', 'o')).toEqual(['o'])
    expect(pin('a', 'm')).toEqual(['m'])
    // Another model has made the response, or the model is not known.
    expect(pin('b', 'm')).toEqual([])
    expect(pin('b')).toEqual([])
    expect(pin('b', 'n', { models: new Set(['m']) })).toEqual([])
    breakDown(fixture.find('b'), 1_000)
    expect(pin('b', 'n')).toEqual(['n'])
  })

  test('is spare beside candidates of the requested model', () => {
    const plan = (...models: string[]) => ({
      candidates: models.map((id) => {
        const candidate = planFixture(catalog).find(id === 'm' ? 'a' : 'b')
        return { ...candidate, model: { ...candidate.model, id } }
      }),
      reasons: models.map(() => 'priority' as const),
    })
    const left = (...models: string[]) =>
      withoutSpares(plan(...models), 'm').candidates.map(({ model }) => model.id)
    expect(left('m', 'n', 'm')).toEqual(['m', 'm'])
    expect(left('m', 'm')).toEqual(['m', 'm'])
    expect(left('n', 'o')).toEqual(['n', 'o'])
    expect(left('n')).toEqual(['n'])
    // The requested model is only full: the fallback model is the first choice.
    expect(left('n', 'm')).toEqual(['n', 'm'])
    expect(withoutSpares(plan('m', 'n'), 'm').reasons).toHaveLength(1)
  })

  test('not for another model, nor in a group that does not name it', () => {
    const fixture = planFixture(catalog)
    breakDown(fixture.find('b'), 1_000)
    expect(ids(fixture, { model: 'n' })).toEqual(['n'])
  })
})
