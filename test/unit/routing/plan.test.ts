import { describe, expect, test } from 'bun:test'
import { Fault } from '../../../src/core/fault.ts'
import type { PlanParams } from '../../../src/routing/plan-params.ts'
import { buildCatalog, type CatalogWords, type RouteWords } from './build-catalog.ts'
import { breakDown, type PlanFixture, planFixture, wasAt } from './plan-fixture.ts'

const words: CatalogWords = {
  routes: [
    { group: 'cheap', model: 'both', upstream: 'c2', priority: 2 },
    { group: 'cheap', model: 'both', upstream: 'c1', priority: 1 },
    { group: 'dear', model: 'both', upstream: 'd1' },
    { group: 'dear', model: 'dear-only', upstream: 'd1' },
    { group: 'cheap', model: 'unpriced', upstream: 'c1' },
    { group: 'cheap', model: 'later', upstream: 'c1' },
    { group: 'removed', model: 'both', upstream: 'r1' },
  ],
  prices: { both: [0, 100, 500], unpriced: [], later: [1_000] },
  goneGroups: ['removed'],
}
const groups = ['cheap', 'dear']

function refusal(fixture: PlanFixture, own: Partial<PlanParams>): string {
  try {
    fixture.plan(own)
  } catch (error) {
    if (error instanceof Fault) return `${error.status} ${error.code} ${error.details.param ?? ''}`
  }
  return 'none'
}

describe('plan of a request', () => {
  const openFixture = () => planFixture(buildCatalog(words))

  test('the groups in the order of the key, within a group by priority', () => {
    const { order } = openFixture()
    expect(order({ groups, model: 'both' })).toEqual([
      'cheap c1 only',
      'cheap c2 only',
      'dear d1 only',
    ])
    expect(order({ groups: ['dear', 'cheap'], model: 'both' })[0]).toBe('dear d1 only')
  })

  test('a group without the model, or a deleted group, is skipped', () => {
    const { order } = openFixture()
    expect(order({ groups, model: 'dear-only' })).toEqual(['dear d1 only'])
    expect(order({ groups: ['removed', 'cheap'], model: 'both' })).toHaveLength(2)
  })

  test('the price is the version in force at that moment, also of an earlier plan', () => {
    const { plan } = openFixture()
    const versionAt = (nowMs: number) =>
      plan({ groups: ['dear'], model: 'both', nowMs }).candidates.map(
        (each) => each.price.versionId,
      )
    expect(versionAt(99)).toEqual(['both from 0'])
    expect(versionAt(100)).toEqual(['both from 100'])
    expect(versionAt(9_999)).toEqual(['both from 500'])
    expect(versionAt(99)).toEqual(['both from 0'])
  })

  const refusals: [string, string[], string, string][] = [
    ['no group remains', ['removed'], 'both', '403 group_not_allowed '],
    ['no group at all', [], 'both', '403 group_not_allowed '],
    ['an unknown model', ['cheap'], 'nothing', '404 model_not_found model'],
    ['a model of another group', ['cheap'], 'dear-only', '404 model_not_found model'],
    [
      'a model without a price, which is never free',
      ['cheap'],
      'unpriced',
      '403 model_not_priced model',
    ],
    ['a price that begins later', ['cheap'], 'later', '403 model_not_priced model'],
    ['a property name of Object', ['cheap'], 'constructor', '404 model_not_found model'],
  ]
  test.each(refusals)('refused: %s', (_, ofKey, model, expected) => {
    expect(refusal(openFixture(), { groups: ofKey, model })).toBe(expected)
  })

  test('without a choice the plan is created once, and draws nothing', () => {
    const { plan } = openFixture()
    const never = () => {
      throw new Error('drawn')
    }
    const asked = { groups: ['dear'], model: 'both', random: never }
    expect(plan(asked).reasons).toEqual(['only'])
    expect(plan(asked)).toBe(plan(asked))
  })
})

describe('groups that are granted', () => {
  const grants = new Map([
    ['acme', undefined],
    ['brief', 1_000],
  ])
  const catalog = buildCatalog({
    routes: [
      { group: 'closed', upstream: 'c' },
      { group: 'open', upstream: 'o' },
    ],
    groups: { closed: { grants } },
  })
  const rows: [string, string, number, string[]][] = [
    ['without an end', 'acme', 9_999, ['closed c only', 'open o only']],
    ['until a later time', 'brief', 999, ['closed c only', 'open o only']],
    ['over', 'brief', 1_000, ['open o only']],
    ['never', 'other', 0, ['open o only']],
  ]
  test.each(rows)('%s', (_, accountId, nowMs, expected) => {
    expect(planFixture(catalog).order({ accountId, nowMs })).toEqual(expected)
  })

  test('the only group is rejected without a grant', () => {
    const fixture = planFixture(catalog)
    expect(refusal(fixture, { groups: ['closed'], accountId: 'other' })).toBe(
      '403 group_not_allowed ',
    )
  })
})

describe('an unhealthy route', () => {
  const two: RouteWords[] = [
    { upstream: 'a', priority: 0 },
    { upstream: 'b', priority: 1 },
  ]

  test('is skipped while another one is healthy, and comes back', () => {
    const fixture = planFixture(buildCatalog({ routes: two }))
    breakDown(fixture.find('a'), 1_000)
    expect(fixture.order({ monotonicMs: 1_001 })).toEqual(['g b only'])
    expect(fixture.order({ monotonicMs: 40_000 })).toEqual(['g a only', 'g b only'])
    expect(fixture.heard).toEqual(['a m out'])
  })

  test('in one group: the next group answers first, whatever it costs', () => {
    const catalog = buildCatalog({
      routes: [
        { group: 'cheap', upstream: 'a' },
        { group: 'dear', upstream: 'b' },
      ],
    })
    const fixture = planFixture(catalog)
    breakDown(fixture.find('a'), 1_000)
    expect(fixture.order({ monotonicMs: 1_001 })).toEqual(['dear b only'])
  })

  test('one model at an upstream does not affect another', () => {
    const catalog = buildCatalog({
      routes: [...two, ...two.map((route) => ({ ...route, model: 'n' }))],
    })
    const fixture = planFixture(catalog)
    breakDown(fixture.find('a'), 1_000)
    expect(fixture.order({ model: 'm', monotonicMs: 1_001 })).toEqual(['g b only'])
    expect(fixture.order({ model: 'n', monotonicMs: 1_001 })).toEqual(['g a only', 'g b only'])
  })

  test('is tried when all are unhealthy, the earliest to recover first', () => {
    const fixture = planFixture(buildCatalog({ routes: two }))
    breakDown(fixture.find('a'), 9_000)
    breakDown(fixture.find('b'), 1_000)
    const plan = fixture.plan({ monotonicMs: 9_001 })
    expect(plan.candidates.map(({ route }) => route.upstream.id)).toEqual(['b', 'a'])
    expect(plan.reasons).toEqual(['last_resort', 'last_resort'])
  })

  test('that is the only one is always tried', () => {
    const fixture = planFixture(buildCatalog({ routes: [{ upstream: 'a' }] }))
    breakDown(fixture.find('a'), 1_000)
    fixture.find('a').state.fail(1_000, 1_000, { cause: 'credential', status: 401 })
    expect(fixture.order({ monotonicMs: 1_001 })).toEqual(['g a only'])
  })

  test('with a half-open breaker is tested by one request at a time', () => {
    const fixture = planFixture(buildCatalog({ routes: two }))
    const a = fixture.find('a')
    breakDown(a, 1_000)
    expect(fixture.order({ monotonicMs: 40_000 })[0]).toBe('g a only')
    const isTrial = a.state.enter(40_000)
    expect(isTrial).toBe(true)
    expect(fixture.order({ monotonicMs: 40_001 })).toEqual(['g b only'])
    a.state.succeed(40_500, 40_000)
    a.state.leave(isTrial)
    expect(fixture.order({ monotonicMs: 40_501 })[0]).toBe('g a only')
    expect(fixture.heard).toEqual(['a m out', 'a m back'])
  })
})

describe('credentials', () => {
  const routes: RouteWords[] = [
    { upstream: 'a', credentials: ['1', '2', '3'], priority: 0 },
    { upstream: 'b', priority: 1 },
  ]

  test('take turns', () => {
    const fixture = planFixture(buildCatalog({ routes }))
    const firsts = [1, 2, 3, 4].map(() => {
      const first = fixture.plan().candidates[0]
      first?.state.enter(1_000)
      return first?.credential?.name
    })
    expect(firsts).toEqual(['1', '2', '3', '1'])
  })

  test('two of one upstream come before another upstream, the others last', () => {
    const fixture = planFixture(buildCatalog({ routes }))
    expect(fixture.order()).toEqual(['g a 1', 'g a 2', 'g b only', 'g a 3'])
  })

  test('a rejected one is unavailable for every model, reported once, and tested later by one request', () => {
    const more = routes.map((route) => ({ ...route, model: 'n' }))
    const fixture = planFixture(buildCatalog({ routes: [...routes, ...more] }))
    const one = fixture.find('a', '1')
    one.state.fail(1_000, 1_000, { cause: 'credential', status: 401 })
    one.state.fail(1_000, 1_000, { cause: 'credential', status: 401 })
    expect(fixture.heard).toEqual(['a 1 refused with 401'])
    for (const model of ['m', 'n']) {
      expect(fixture.order({ model, monotonicMs: 1_001 })).toEqual(['g a 2', 'g a 3', 'g b only'])
    }
    const later = 1_000 + 10 * 60_000
    expect(fixture.order({ monotonicMs: later })).toContain('g a 1')
    one.state.enter(later)
    expect(fixture.order({ monotonicMs: later + 1 })).not.toContain('g a 1')
    one.state.succeed(later + 2, later)
    expect(fixture.order({ monotonicMs: later + 3 })).toContain('g a 1')
    expect(fixture.heard.at(-1)).toBe('a 1 taken again')
  })

  test('a renewed credential counts as another one', () => {
    const entered = (value: string) =>
      buildCatalog({
        routes: [
          {
            upstream: 'a',
            own: { credentials: [{ id: 'x', name: 'x', value, hint: '…' }] },
          },
          { upstream: 'b', priority: 1 },
        ],
      })
    const fixture = planFixture(entered('old'))
    fixture.find('a').state.fail(1_000, 1_000, { cause: 'credential', status: 403 })
    expect(fixture.order()).toEqual(['g b only'])
    expect(fixture.order({ catalog: entered('old') })).toEqual(['g b only'])
    expect(fixture.order({ catalog: entered('new') })).toEqual(['g a x', 'g b only'])
  })

  test('a rate-limited credential waits for Retry-After, for that model alone', () => {
    const more = routes.map((route) => ({ ...route, model: 'n' }))
    const fixture = planFixture(buildCatalog({ routes: [...routes, ...more] }))
    fixture.find('a', '1').state.fail(1_000, 1_000, { cause: 'limit', cooldownMs: 17_000 })
    expect(fixture.order({ monotonicMs: 17_999 })).not.toContain('g a 1')
    expect(fixture.order({ monotonicMs: 18_000 })).toContain('g a 1')
    expect(fixture.order({ model: 'n', monotonicMs: 1_001 })).toContain('g a 1')
  })

  test('a wait is limited, whatever Retry-After says', () => {
    const fixture = planFixture(buildCatalog({ routes }))
    fixture.find('a', '1').state.fail(0, 0, { cause: 'limit', cooldownMs: 86_400_000 })
    expect(fixture.order({ monotonicMs: 5 * 60_000 })).toContain('g a 1')
  })
})

describe('limits and settings of the operator', () => {
  test('a full upstream is left out until there is room', () => {
    const fixture = planFixture(
      buildCatalog({
        routes: [
          { upstream: 'a', own: { concurrencyMax: 2 } },
          { upstream: 'b', priority: 1 },
        ],
      }),
    )
    const a = fixture.find('a')
    a.state.enter(1_000)
    expect(fixture.order()[0]).toBe('g a only')
    a.state.enter(1_000)
    expect(fixture.order()).toEqual(['g b only'])
    a.state.leave(false)
    expect(fixture.order()[0]).toBe('g a only')
  })

  test('when all are full the client gets Retry-After, and no upstream is tried', () => {
    const own = { concurrencyMax: 1 }
    const routes = [
      { upstream: 'a', own },
      { upstream: 'b', own },
    ]
    const fixture = planFixture(buildCatalog({ routes }))
    fixture.find('a').state.enter(1_000)
    fixture.find('b').state.enter(1_000)
    expect(refusal(fixture, {})).toBe('503 no_upstream_available ')
    expect(() => fixture.plan()).toThrow('limit of concurrent requests')
  })

  test('a request that may wait waits for a healthy upstream instead of trying an unhealthy one', () => {
    const routes = [
      { upstream: 'full', own: { concurrencyMax: 1 } },
      { upstream: 'broken', priority: 1 },
    ]
    const fixture = planFixture(buildCatalog({ routes }))
    const [full, broken] = [fixture.find('full').state, fixture.find('broken').state]
    full.enter(1_000)
    const waiting = () => fixture.plan({ mayWait: true })
    // A retry may wait for the full one.
    expect(waiting().candidates.map(({ route }) => route.upstream.id)).toEqual(['broken', 'full'])
    for (let times = 0; times < 10; times += 1) broken.fail(1_000, 1_000, { cause: 'upstream' })
    expect(waiting().candidates.map(({ route }) => route.upstream.id)).toEqual(['full'])
    expect(waiting().reasons).toEqual(['queued'])
    // Without a queue, and if no upstream is healthy, an unhealthy one is better than none.
    expect(fixture.plan().candidates.map(({ route }) => route.upstream.id)).toEqual(['broken'])
    for (let times = 0; times < 10; times += 1) full.fail(1_000, 1_000, { cause: 'upstream' })
    expect(waiting().candidates.map(({ route }) => route.upstream.id)).toEqual(['broken'])
    expect(waiting().reasons).toEqual(['last_resort'])
  })

  test.each([{ isEnabled: false }, { needsCredential: true }])('%j is never tried', (own) => {
    const fixture = planFixture(
      buildCatalog({ routes: [{ upstream: 'a', own }, { upstream: 'b' }] }),
    )
    expect(fixture.order()).toEqual(['g b only'])
    const alone = planFixture(buildCatalog({ routes: [{ upstream: 'a', own }] }))
    expect(refusal(alone, {})).toBe('503 no_upstream_available ')
  })
})

describe('a conversation', () => {
  const routes: RouteWords[] = [
    { upstream: 'a', credentials: ['1', '2'] },
    { upstream: 'b' },
    { upstream: 'later', priority: 1 },
    { group: 'other', upstream: 'o' },
  ]
  const at = (upstreamId: string, credential: string) =>
    wasAt({ upstreamId, credentialId: `${upstreamId} ${credential}` })

  test('returns to its last upstream and credential, with the others after it', () => {
    const fixture = planFixture(buildCatalog({ routes }))
    for (const [upstream, credential] of [
      ['a', '2'],
      ['b', 'only'],
    ] as const) {
      const plan = fixture.plan({ conversation: at(upstream, credential) })
      expect(plan.reasons[0]).toBe('sticky')
      expect(plan.candidates[0]?.credential?.id).toBe(`${upstream} ${credential}`)
      expect(new Set(plan.candidates).size).toBe(5)
      expect(plan.candidates).toHaveLength(5)
    }
  })

  test('does not stick to a later group or priority, nor to an unhealthy, full or deleted route', () => {
    const fixture = planFixture(buildCatalog({ routes }))
    expect(fixture.plan({ conversation: at('o', 'only') }).reasons).not.toContain('sticky')
    expect(fixture.plan({ conversation: at('later', 'only') }).reasons).not.toContain('sticky')
    expect(fixture.plan({ conversation: at('gone', '1') }).reasons).not.toContain('sticky')
    fixture.find('a', '2').state.fail(1_000, 1_000, { cause: 'limit', cooldownMs: 5_000 })
    expect(fixture.plan({ conversation: at('a', '2') }).reasons).not.toContain('sticky')
    breakDown(fixture.find('b'), 1_000)
    expect(fixture.plan({ conversation: at('b', 'only') }).reasons).not.toContain('sticky')
  })
})
