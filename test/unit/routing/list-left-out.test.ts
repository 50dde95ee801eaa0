import { describe, expect, test } from 'bun:test'
import { listLeftOut } from '../../../src/routing/list-left-out.ts'
import type { PlanParams } from '../../../src/routing/plan-params.ts'
import { buildCatalog, type CatalogWords, type RouteWords } from './build-catalog.ts'
import { breakDown, type PlanFixture, pinTo, planFixture } from './plan-fixture.ts'

/** The excluded candidates with their reasons, one line each. */
function leftOut(fixture: PlanFixture, own: Partial<PlanParams> = {}): string[] {
  const question = fixture.question(own)
  return listLeftOut(question, fixture.plan(own)).map(({ group, upstream, credential, why }) =>
    [group, upstream, credential, why].filter((word) => word !== undefined).join(' '),
  )
}

const spare: RouteWords = { upstream: 'spare', priority: 9 }

describe('excluded routes and the reasons', () => {
  test('none, when all are healthy', () => {
    const routes = [{ upstream: 'a', credentials: ['1', '2', '3', '4'] }, spare]
    expect(leftOut(planFixture(buildCatalog({ routes })))).toEqual([])
  })

  const groups: [string, CatalogWords, string[], string][] = [
    ['gone', { routes: [spare] }, ['gone', 'g'], 'gone the group no longer exists'],
    [
      'not granted',
      {
        routes: [{ group: 'closed', upstream: 'c' }, spare],
        groups: { closed: { grants: new Map() } },
      },
      ['closed', 'g'],
      'closed group not granted to this account',
    ],
    [
      'granted until yesterday',
      {
        routes: [{ group: 'closed', upstream: 'c' }, spare],
        groups: { closed: { grants: new Map([['acme', 100]]) } },
      },
      ['closed', 'g'],
      'closed grant of the group ended at 1970-01-01T00:00:00.100Z',
    ],
    [
      'without the model',
      { routes: [{ group: 'other', model: 'n', upstream: 'o' }, spare] },
      ['other', 'g'],
      'other it has no route for this model',
    ],
  ]
  test.each(groups)('a group %s', (_, words, ofKey, expected) => {
    expect(leftOut(planFixture(buildCatalog(words)), { groups: ofKey })).toEqual([expected])
  })

  const ills: [string, (fixture: PlanFixture) => void, string][] = [
    [
      'an open breaker',
      (fixture) => breakDown(fixture.find('a'), 1_000),
      'g a …only breaker open until 1970-01-01T00:00:30.200Z',
    ],
    [
      'a rejected credential',
      (fixture) => fixture.find('a').state.fail(1_000, 1_000, { cause: 'credential', status: 401 }),
      'g a …only credential dead: refused, next try 1970-01-01T00:10:00.200Z',
    ],
    [
      'a rate limit',
      (fixture) =>
        fixture.find('a').state.fail(1_000, 1_000, { cause: 'limit', cooldownMs: 5_000 }),
      'g a …only rate limited until 1970-01-01T00:00:05.200Z',
    ],
    [
      'a full upstream',
      (fixture) => {
        fixture.find('a').state.enter(1_000)
      },
      'g a …only full: 1 of 1 request at once',
    ],
  ]
  test.each(ills)('%s', (_, makeIll, expected) => {
    const routes = [{ upstream: 'a', own: { concurrencyMax: 1 } }, spare]
    // The middle of the range: the breaker's time has no jitter.
    const fixture = planFixture(buildCatalog({ routes }), () => 0.5)
    makeIll(fixture)
    expect(leftOut(fixture)).toEqual([expected])
  })

  test('a half-open breaker that another request is testing', () => {
    const fixture = planFixture(buildCatalog({ routes: [{ upstream: 'a' }, spare] }))
    breakDown(fixture.find('a'), 1_000)
    fixture.find('a').state.enter(40_000)
    expect(leftOut(fixture, { monotonicMs: 40_001 })).toEqual([
      'g a …only breaker half open: another request is trying it',
    ])
  })

  test.each([
    [{ isEnabled: false }, 'g a disabled'],
    [
      { needsCredential: true },
      'g a moved to another host or proxy, and its credential was not entered again',
    ],
  ])('%j', (own, expected) => {
    const fixture = planFixture(buildCatalog({ routes: [{ upstream: 'a', own }, spare] }))
    expect(leftOut(fixture)).toEqual([expected])
  })

  test('all but the one required upstream', () => {
    const fixture = planFixture(buildCatalog({ routes: [{ upstream: 'a' }, spare] }))
    expect(leftOut(fixture, { pin: pinTo('spare') })).toEqual([
      'g a …only only the upstream spare has the earlier response',
    ])
  })

  test('also every other credential of that upstream', () => {
    const routes = [{ upstream: 'a', credentials: ['mine', 'theirs'] }]
    const fixture = planFixture(buildCatalog({ routes }))
    expect(leftOut(fixture, { pin: pinTo('a', 'mine') })).toEqual([
      'g a …theirs another credential has the earlier response',
    ])
  })
})
