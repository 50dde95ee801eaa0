import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { policyKind } from '../../../src/catalog/definition/policy.ts'
import { readStored } from '../../../src/catalog/read-stored.ts'
import type { ProtocolName } from '../../../src/core/neutral/protocol-name.ts'
import type { ParameterPolicy } from '../../../src/core/upstreams/parameter-policy.ts'
import { findPolicyProblem } from '../../../src/core/upstreams/parameter-rules.ts'
import { findProblem } from '../../../src/fields/find-problem.ts'
import { problemText } from '../../../src/fields/problems.ts'
import { applyParameters } from '../../../src/gateway/forward/apply-parameters.ts'
import { findMembers } from '../../../src/wire/find-members.ts'
import { repeats } from '../../support/repeats.ts'

type Row = [
  name: string,
  policy: ParameterPolicy,
  before: string,
  after: string,
  changes: string[],
  protocol?: ProtocolName,
]

const rows: Row[] = [
  ['the dropped field is absent', { drop: ['seed'] }, '{ "a" : 1 }', '{ "a" : 1 }', []],
  ['dropped from the front', { drop: ['a'] }, '{ "a" : 1 , "b":2}', '{ "b":2}', ['dropped a']],
  ['dropped from the end', { drop: ['b'] }, '{"a":1 , "b":2 }', '{"a":1 }', ['dropped b']],
  [
    'dropped beside each other',
    { drop: ['b', 'c'] },
    '{"a":1,"b":[{}],"c":"}","d":4}',
    '{"a":1,"d":4}',
    ['dropped b', 'dropped c'],
  ],
  ['all fields dropped', { drop: ['a', 'b'] }, '{"a":1, "b":2}', '{}', ['dropped a', 'dropped b']],
  [
    'all fields dropped and one set',
    { drop: ['a'], default: { c: [1] } },
    '{"a":1}',
    '{"c":[1]}',
    ['dropped a', 'set c'],
  ],
  [
    'a number that is too large; other numbers keep their spelling',
    { clamp: { temperature: [0, 1] } },
    '{"temperature": 1.50e0 ,"id":12345678901234567890,"x":1.0}',
    '{"temperature": 1 ,"id":12345678901234567890,"x":1.0}',
    ['clamped temperature to 1'],
  ],
  [
    'a number that is too small',
    { clamp: { temperature: [0.5, null] } },
    '{"temperature":-3}',
    '{"temperature":0.5}',
    ['clamped temperature to 0.5'],
  ],
  ['a number within its bounds', { clamp: { t: [0, 1] } }, '{"t":1.00}', '{"t":1.00}', []],
  [
    'a clamp of a value that is not a number',
    { clamp: { t: [0, 1] } },
    '{"t":"9"}',
    '{"t":"9"}',
    [],
  ],
  ['a null value is not absent', { default: { t: 1 } }, '{"t":null}', '{"t":null}', []],
  [
    'a default for an absent field',
    { default: { top_p: 0.9, user: 'a"b' } },
    '{"a":1}',
    '{"a":1,"top_p":0.9,"user":"a\\"b"}',
    ['set top_p', 'set user'],
  ],
  [
    'renamed in place, value unchanged',
    { rename: { a: 'b"' } },
    '{"x":1, "a" :  9007199254740993}',
    '{"x":1, "b\\"" :  9007199254740993}',
    ['renamed a to b"'],
  ],
  [
    'not renamed to a name that is present',
    { rename: { a: 'b' } },
    '{"a":1,"b":2}',
    '{"a":1,"b":2}',
    [],
  ],
  [
    'clamped, then renamed',
    { rename: { n_predict: 'limit' }, clamp: { n_predict: [null, 5] } },
    '{"n_predict":9}',
    '{"limit":5}',
    ['clamped n_predict to 5', 'renamed n_predict to limit'],
  ],
  [
    'a default for a renamed field',
    { rename: { a: 'b' }, default: { a: 1 } },
    '{}',
    '{"b":1}',
    ['set a'],
  ],
  [
    'the output limit under the name that the server knows',
    { outputLimit: 'max_completion_tokens' },
    '{"max_tokens":5}',
    '{"max_completion_tokens":5}',
    ['renamed max_tokens to max_completion_tokens'],
  ],
  [
    'the output limit under both names is unchanged',
    { outputLimit: 'max_tokens' },
    '{"max_completion_tokens":5,"max_tokens":6}',
    '{"max_completion_tokens":5,"max_tokens":6}',
    [],
  ],
  [
    'a default for the output limit does not add a second name',
    { outputLimit: 'max_completion_tokens', default: { max_completion_tokens: 9 } },
    '{"max_tokens":5}',
    '{"max_completion_tokens":5}',
    ['renamed max_tokens to max_completion_tokens'],
  ],
  [
    'another protocol keeps its own output limit',
    { outputLimit: 'max_completion_tokens' },
    '{"max_tokens":5}',
    '{"max_tokens":5}',
    [],
    'messages',
  ],
  [
    'fields inside an object',
    { drop: ['generationConfig.seed'], clamp: { 'generationConfig.topK': [1, 40] } },
    '{"contents":[],"generationConfig":{"topK": 64,"seed":1,"x":1.0}}',
    '{"contents":[],"generationConfig":{"topK": 40,"x":1.0}}',
    ['dropped generationConfig.seed', 'clamped generationConfig.topK to 40'],
    'generate-content',
  ],
  [
    'the snake_case spelling of Google’s names',
    { clamp: { 'generationConfig.topK': [1, 40] }, default: { 'generationConfig.topP': 1 } },
    '{"generation_config":{"top_k":64,"top_p":0.5}}',
    '{"generation_config":{"top_k":40,"top_p":0.5}}',
    ['clamped generationConfig.topK to 40'],
    'generate-content',
  ],
  [
    'a default inside a missing object',
    { default: { 'reasoning.effort': 'low' } },
    '{"input":"x"}',
    '{"input":"x","reasoning":{"effort":"low"}}',
    ['set reasoning.effort'],
    'responses',
  ],
  [
    'fields of a value that is not an object',
    { drop: ['reasoning.effort'], default: { 'reasoning.effort': 'low' } },
    '{"reasoning":null}',
    '{"reasoning":null}',
    [],
    'responses',
  ],
  [
    'headers are reported, the body is unchanged',
    { headers: { 'x-team': 'red' } },
    '{}',
    '{}',
    ['sent x-team'],
  ],
]

describe('parameters of a route', () => {
  test.each(rows)('%s', (_, policy, before, after, changes, protocol = 'chat-completions') => {
    const applied = applyParameters(before, policy, protocol)
    const words = applied.changes.map(({ change, field, to }) =>
      [change, field, ...(to === undefined ? [] : ['to', to])].join(' '),
    )
    expect(applied.body).toBe(after)
    expect(words).toEqual(changes)
  })

  const names = ['a', 'b', 'c', 'd', 'long name', 'é"\\', '0', '__proto__']
  const spaces = fc.constantFrom('', ' ', '\n\t', '  ')
  const number = fc.constantFrom('1', '-0', '1.50', '12345678901234567890', '1e400', '0.1E-2')
  const value = fc.oneof(
    number,
    fc.json({ maxDepth: 2 }),
    fc.constantFrom('"}"', '"a\\",\\"b\\":1"', '{"a":{"a":1}}', '[1,{"b":2}]'),
  )
  const body = fc
    .uniqueArray(fc.tuple(fc.constantFrom(...names), value, spaces, spaces), {
      selector: ([name]) => name,
    })
    .map(
      (members) =>
        `{${members.map(([name, text, left, right]) => `${left}${JSON.stringify(name)}${right}:${left}${text}${right}`).join(',')}}`,
    )
  const someNames = fc.uniqueArray(fc.constantFrom(...names), { maxLength: 3 })
  const policies = fc
    .record({
      drop: someNames,
      clamp: someNames.map((list) =>
        Object.fromEntries(list.map((name) => [name, [0, 1] as [number, number]])),
      ),
      default: someNames.map((list) =>
        Object.fromEntries(list.map((name) => [name, { set: true }])),
      ),
      rename: someNames.map((list) =>
        Object.fromEntries(list.map((name) => [name, `${name}-new`])),
      ),
    })
    .filter((policy) => findPolicyProblem(policy) === undefined)

  const textsOf = (text: string) =>
    new Map(
      [...findMembers(text)].map(([name, { valueStart, valueEnd }]) => [
        name,
        text.slice(valueStart, valueEnd),
      ]),
    )

  test('a policy changes no byte of a field that it does not name, nor their order', () => {
    fc.assert(
      fc.property(body, policies, (before, policy) => {
        const { body: after } = applyParameters(before, policy, 'chat-completions')
        expect(() => JSON.parse(after) as unknown).not.toThrow()
        const touched = new Set([
          ...policy.drop,
          ...[policy.clamp, policy.default, policy.rename].flatMap((each) => Object.keys(each)),
        ])
        const untouched = (text: string) =>
          [...textsOf(text)].filter(([name]) => !touched.has(name) && !name.endsWith('-new'))
        expect(untouched(after)).toEqual(untouched(before))
      }),
      { numRuns: repeats(500) },
    )
  })

  test('dropped fields are absent, clamped ones within their limits, and set ones present', () => {
    fc.assert(
      fc.property(body, policies, (before, policy) => {
        const whole = textsOf(before)
        const after = textsOf(applyParameters(before, policy, 'chat-completions').body)
        for (const name of policy.drop) expect(after.has(name)).toBe(false)
        for (const name of Object.keys(policy.clamp)) {
          const text = after.get(name) ?? after.get(`${name}-new`) ?? ''
          if (/^-?\d/.test(text)) expect(Number(text) >= 0 && Number(text) <= 1).toBe(true)
        }
        for (const name of Object.keys(policy.default)) {
          if (whole.has(name)) continue
          const newName = Object.hasOwn(policy.rename, name) ? `${name}-new` : name
          expect(after.get(newName)).toBe('{"set":true}')
        }
      }),
      { numRuns: repeats(500) },
    )
  })
})

describe('invalid policies', () => {
  const wrong: [string, ParameterPolicy, (string | number)[], string][] = [
    ['drop the model', { drop: ['a', 'model'] }, ['drop', 1], 'cannot change "model"'],
    ['rename to stream', { rename: { a: 'stream' } }, ['rename', 'a'], 'cannot change "stream"'],
    [
      'default inside model',
      { default: { 'model.x': 1 } },
      ['default', 'model.x'],
      'cannot change "model"',
    ],
    ['drop a limit', { drop: ['max_tokens'] }, ['drop', 0], 'cost more than the reserved amount'],
    ['drop what a limit stands in', { drop: ['generationConfig'] }, ['drop', 0], 'cost more'],
    ['raise a limit', { clamp: { max_tokens: [9, null] } }, ['clamp', 'max_tokens'], 'cost more'],
    ['ask for more answers', { default: { n: 4 } }, ['default', 'n'], 'cost more'],
    ['rename to a limit', { rename: { a: 'max_tokens' } }, ['rename', 'a'], 'cost more'],
    [
      'run in the background',
      { default: { background: true } },
      ['default', 'background'],
      'cannot bill',
    ],
    [
      'run in the background, as text',
      { default: { background: 'true' } },
      ['default', 'background'],
      'cannot bill',
    ],
    ['rename to background', { rename: { a: 'background' } }, ['rename', 'a'], 'cannot bill'],
    ['drop and clamp', { drop: ['a'], clamp: { a: [0, 1] } }, ['drop', 0], 'another rule changes'],
    ['drop and set', { drop: ['a'], default: { a: 1 } }, ['drop', 0], 'another rule changes'],
    [
      'two renames to the same name',
      { rename: { a: 'c', b: 'c' } },
      ['rename', 'b'],
      'another rule already uses',
    ],
    ['rename and set', { rename: { a: 'b' }, default: { b: 1 } }, ['rename', 'a'], 'another rule'],
    [
      'a minimum above the maximum',
      { clamp: { a: [2, 1] } },
      ['clamp', 'a'],
      'does not exceed the maximum',
    ],
    ['a path that is too deep', { drop: ['a.b.c'] }, ['drop', 0], 'must be a field'],
    [
      'move out of an object',
      { rename: { 'a.b': 'b' } },
      ['rename', 'a.b'],
      'inside the same object',
    ],
    [
      'authorization',
      { headers: { Authorization: 'x' } },
      ['headers', 'Authorization'],
      'credentials instead',
    ],
    [
      'an API key header',
      { headers: { 'x-api-key': 'x' } },
      ['headers', 'x-api-key'],
      'credentials instead',
    ],
    [
      'an API key header of Google',
      { headers: { 'x-goog-api-key': 'x' } },
      ['headers', 'x-goog-api-key'],
      'credentials instead',
    ],
    ['host', { headers: { host: 'x' } }, ['headers', 'host'], 'the connection sets'],
    [
      'length',
      { headers: { 'Content-Length': '1' } },
      ['headers', 'Content-Length'],
      'the connection sets',
    ],
    [
      'a line break in a header',
      { headers: { 'x-a': 'a\r\nhost: b' } },
      ['headers', 'x-a'],
      'printable',
    ],
    [
      'an invalid header name',
      { headers: { 'x a': 'a' } },
      ['headers', 'x a'],
      'valid header name',
    ],
  ]
  test.each(wrong)('%s', (_, policy, path, why) => {
    const found = findProblem(policyKind.wire, policy)
    expect(found?.path).toEqual(path)
    expect(problemText(found?.problem ?? 'value_wrong', found?.values)).toContain(why)
  })

  test('valid policies', () => {
    const policy: ParameterPolicy = {
      rename: { max_tokens: 'max_new_tokens', 'a.b': 'a.c' },
      drop: ['seed', 'stream_options', 'store'],
      clamp: { max_tokens: [null, 4096], temperature: [0, 1] },
      default: { max_tokens: 100, top_p: 0.9, background: false },
      outputLimit: 'max_tokens',
      headers: { 'x-team': 'red', 'anthropic-beta': 'a-1' },
    }
    expect(findPolicyProblem(policy)).toBeUndefined()
    expect(findPolicyProblem({ drop: ['background'] })).toBeUndefined()
  })

  test('a stored policy that breaks a newer rule is not applied', () => {
    expect(readStored(policyKind, { default: { background: true } })).toBeUndefined()
  })
})
