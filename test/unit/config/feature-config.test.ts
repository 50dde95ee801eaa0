import { expect, test } from 'bun:test'
import { loadText, refusalOf } from './load-text.ts'

const model = (features: string) =>
  `provision: { models: [{ id: m, price: { input: 1, output: 1, features: ${features} } }] }`

test('prices of features are exact, and may be absent', () => {
  const text = model(
    '{ webSearch: 0.01, codeExecution: "0.000000001", priorityTier: 1.75, audioInput: 40, mcp: 0, otherTool: null }',
  )
  expect(loadText({ text }).provision.models[0]?.price?.features).toEqual({
    webSearch: 10_000_000n,
    codeExecution: 1n,
    priorityTier: 1_750_000n,
    audioInput: 40_000_000_000n,
    mcp: 0n,
    otherTool: null,
  })
  const without = 'provision: { models: [{ id: m, price: { input: 1, output: 1 } }] }'
  expect(loadText({ text: without }).provision.models[0]?.price?.features).toBeUndefined()
})

test('settings of a group for features and shared objects', () => {
  const text =
    'provision: { groups: [{ id: a }, { id: b, unpricedFeatures: token_price, sharedObjects: allow }] }'
  const { groups } = loadText({ text }).provision
  expect(groups.map((group) => [group.unpricedFeatures, group.sharedObjects])).toEqual([
    [undefined, undefined],
    ['token_price', 'allow'],
  ])
})

test.each([
  [model('{ webSearchs: 1 }'), 'did you mean "webSearch"?'],
  [
    model('{ webSearch: -1 }'),
    'must be an amount in US$ such as 0.01, at most 1000000, or null for no price',
  ],
  [
    model('{ webSearch: 0.0000000001 }'),
    'must be an amount in US$ such as 0.01, at most 1000000, or null for no price',
  ],
  [
    model('{ webSearch: 1000001 }'),
    'must be an amount in US$ such as 0.01, at most 1000000, or null for no price',
  ],
  [
    model('{ webSearch: yes }'),
    'must be an amount in US$ such as 0.01, at most 1000000, or null for no price',
  ],
  [
    model('{ audioInput: [1] }'),
    'must be an amount in US$ such as 0.01, at most 1000000, or null for no price',
  ],
  [model('{ fastMode: 1001 }'), 'must be a factor'],
  [model('{ fastMode: 0.0000001 }'), 'must be a factor'],
  ['provision: { groups: [{ id: a, unpricedFeatures: free }] }', 'refuse, token_price'],
  ['provision: { groups: [{ id: a, sharedObjects: alow }] }', 'did you mean "allow"?'],
])('%s', (text, message) => {
  expect(refusalOf({ text })).toContain(message)
})
