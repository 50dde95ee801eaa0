import { describe, expect, test } from 'bun:test'
import type { CatalogSnapshot, Model, Route } from '../../../src/catalog/catalog-snapshot.ts'
import { Fault } from '../../../src/core/fault.ts'
import { planCandidates } from '../../../src/routing/plan.ts'
import { seededRandom } from './seeded-random.ts'

const price = {
  inputNano: 1n,
  cacheReadNano: 1n,
  cacheWrite5mNano: 1n,
  cacheWrite1hNano: 1n,
  outputNano: 1n,
  requestNano: 0n,
}

function model(id: string, validFrom: readonly number[]): Model {
  return {
    id,
    displayName: id,
    ownedBy: 'me',
    contextTokens: undefined,
    maxOutputTokens: 10,
    createdAtMs: 0,
    prices: validFrom.map((at) => ({ ...price, versionId: `${id} from ${at}`, validFromMs: at })),
  }
}

function route(groupId: string, modelId: string, upstreamId: string, priority = 0): Route {
  const upstream = {
    id: upstreamId,
    vendor: 'v',
    protocol: 'chat-completions',
    baseUrl: 'http://u',
    credential: undefined,
  }
  return { groupId, modelId, upstream, upstreamModel: modelId, priority, weight: 1 }
}

const routes = [
  route('cheap', 'both', 'c2', 2),
  route('cheap', 'both', 'c1', 1),
  route('dear', 'both', 'd1'),
  route('dear', 'dear-only', 'd1'),
  route('cheap', 'unpriced', 'c1'),
  route('cheap', 'later', 'c1'),
  route('removed', 'both', 'r1'),
]
const models = [
  model('both', [0, 100, 500]),
  model('dear-only', [0]),
  model('unpriced', []),
  model('later', [1_000]),
]
const catalog: CatalogSnapshot = {
  groups: new Map(
    ['cheap', 'dear'].map((id) => [id, { id, factorMicro: 1_000_000n, isStrict: false }]),
  ),
  models: new Map(models.map((each) => [each.id, each])),
  routes: new Map(
    [...Map.groupBy(routes, (each) => each.groupId)].map(([groupId, ofGroup]) => [
      groupId,
      Map.groupBy(ofGroup, (each) => each.modelId),
    ]),
  ),
}

function plan(groups: readonly string[], modelId: string, nowMs = 200): string[] {
  const random = seededRandom(1)
  const candidates = planCandidates({ catalog, groups, model: modelId, nowMs, random })
  return candidates.map(
    ({ group, route: { upstream }, price: { versionId } }) =>
      `${group.id} ${upstream.id} ${versionId}`,
  )
}

function refusal(groups: readonly string[], modelId: string): string {
  try {
    plan(groups, modelId)
  } catch (error) {
    if (error instanceof Fault) return `${error.status} ${error.code} ${error.details.param ?? ''}`
  }
  return 'none'
}

describe('plan of a request', () => {
  test('the groups in the order of the key, inside a group by priority', () => {
    const version = 'both from 100'
    expect(plan(['cheap', 'dear'], 'both')).toEqual([
      `cheap c1 ${version}`,
      `cheap c2 ${version}`,
      `dear d1 ${version}`,
    ])
    expect(plan(['dear', 'cheap'], 'both')[0]).toBe(`dear d1 ${version}`)
  })

  test('a group without the model, or that is gone, is passed over', () => {
    expect(plan(['cheap', 'dear'], 'dear-only')).toEqual(['dear d1 dear-only from 0'])
    expect(plan(['removed', 'cheap'], 'both')).toHaveLength(2)
  })

  test('the price is the version that is in force at that moment', () => {
    expect(plan(['dear'], 'both', 99)).toEqual(['dear d1 both from 0'])
    expect(plan(['dear'], 'both', 100)).toEqual(['dear d1 both from 100'])
    expect(plan(['dear'], 'both', 9_999)).toEqual(['dear d1 both from 500'])
  })

  const refusals: [string, string[], string, string][] = [
    ['no group left', ['removed'], 'both', '403 group_not_allowed '],
    ['no group at all', [], 'both', '403 group_not_allowed '],
    ['no such model', ['cheap'], 'nothing', '404 model_not_found model'],
    ['a model of another group', ['cheap'], 'dear-only', '404 model_not_found model'],
    ['a model without a price is never free', ['cheap'], 'unpriced', '403 model_not_priced model'],
    ['a price that begins later', ['cheap'], 'later', '403 model_not_priced model'],
    ['a name of Object', ['cheap'], 'constructor', '404 model_not_found model'],
  ]
  test.each(refusals)('refused: %s', (_, groups, modelId, expected) => {
    expect(refusal(groups, modelId)).toBe(expected)
  })
})
