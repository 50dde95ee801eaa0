import { describe, expect, test } from 'bun:test'
import type { ModelRequest, Turn } from '../../../../src/core/neutral/model-request.ts'
import type { ModelTraits } from '../../../../src/protocols/model-traits.ts'
import type { JsonObject } from '../../../../src/wire/json.ts'
import { encoded, issuer } from './helpers.ts'

const adaptive: ModelTraits = { thinking: 'adaptive', efforts: ['low', 'medium', 'high', 'max'] }
const budget: ModelTraits = { thinking: 'budget' }
const tool = {
  type: 'function',
  name: 'f',
  description: undefined,
  schema: undefined,
  isStrict: undefined,
} as const

type Row = [
  name: string,
  sent: Partial<ModelRequest>,
  traits: ModelTraits,
  fields: JsonObject,
  warnings: string[],
]

const rows: Row[] = [
  ['not requested', {}, adaptive, {}, []],
  [
    'an effort',
    { reasoning: { mode: 'effort', effort: 'high', isVisible: true } },
    adaptive,
    {
      thinking: { type: 'adaptive', display: 'summarized' },
      output_config: { effort: 'high' },
    },
    [],
  ],
  [
    'an effort that the model lacks',
    { reasoning: { mode: 'effort', effort: 'minimal' } },
    adaptive,
    { thinking: { type: 'adaptive' }, output_config: { effort: 'low' } },
    [],
  ],
  [
    'a budget for a model with efforts',
    { reasoning: { mode: 'budget', budgetTokens: 500 } },
    adaptive,
    { thinking: { type: 'adaptive' }, output_config: { effort: 'medium' } },
    [],
  ],
  [
    'left to the model, hidden',
    { reasoning: { mode: 'auto', isVisible: false } },
    adaptive,
    { thinking: { type: 'adaptive', display: 'omitted' } },
    [],
  ],
  ['off', { reasoning: { mode: 'off' } }, adaptive, { thinking: { type: 'disabled' } }, []],
  [
    'off, with an effort for the text',
    { reasoning: { mode: 'off', effort: 'max' } },
    adaptive,
    { thinking: { type: 'disabled' }, output_config: { effort: 'max' } },
    [],
  ],
  [
    'off, for a model that always reasons',
    { reasoning: { mode: 'off' } },
    { ...adaptive, alwaysThinks: true },
    {},
    ['thinking_dropped'],
  ],
  [
    'an effort, for a model that never reasons',
    { reasoning: { mode: 'effort', effort: 'high' } },
    { thinking: 'none' },
    {},
    ['thinking_dropped'],
  ],
  [
    'off, for a model that never reasons',
    { reasoning: { mode: 'off' } },
    { thinking: 'none' },
    {},
    [],
  ],
  [
    'a budget',
    { outputTokensMax: 4_000, reasoning: { mode: 'budget', budgetTokens: 2_000, isVisible: true } },
    budget,
    { max_tokens: 4_000, thinking: { type: 'enabled', budget_tokens: 2_000 } },
    [],
  ],
  [
    'a budget above the limit raises the limit',
    { outputTokensMax: 2_000, reasoning: { mode: 'budget', budgetTokens: 5_000 } },
    budget,
    { max_tokens: 7_000, thinking: { type: 'enabled', budget_tokens: 5_000 } },
    ['max_tokens_raised'],
  ],
  [
    'a budget above the model’s output limit',
    { outputTokensMax: 2_000, reasoning: { mode: 'budget', budgetTokens: 90_000 } },
    budget,
    { max_tokens: 8_000, thinking: { type: 'enabled', budget_tokens: 7_999 } },
    ['max_tokens_raised'],
  ],
  [
    'a budget and a forced tool',
    {
      outputTokensMax: 4_000,
      tools: [tool],
      toolChoice: { type: 'required' },
      reasoning: { mode: 'budget', budgetTokens: 2_000 },
    },
    budget,
    { max_tokens: 4_000, tool_choice: { type: 'any' }, tools: [{ name: 'f' }] },
    ['thinking_dropped'],
  ],
  [
    'an effort and a forced tool',
    {
      tools: [tool],
      toolChoice: { type: 'required' },
      reasoning: { mode: 'effort', effort: 'low' },
    },
    adaptive,
    {
      thinking: { type: 'adaptive' },
      output_config: { effort: 'low' },
      tool_choice: { type: 'any' },
      tools: [{ name: 'f' }],
    },
    [],
  ],
  [
    'a temperature with reasoning',
    { sampling: { temperature: 0.3, topK: 5 }, reasoning: { mode: 'auto' } },
    adaptive,
    { thinking: { type: 'adaptive' } },
    ['temperature_dropped', 'top_k_dropped'],
  ],
]

describe('messages: thinking towards an upstream', () => {
  test.each(rows)('%s', (_, sent, traits, fields, warnings) => {
    const seen = encoded(sent, traits)
    expect(seen.body).toMatchObject(fields)
    const names = ['thinking', 'output_config', 'temperature', 'top_k', 'top_p']
    expect(names.filter((name) => name in seen.body && !(name in fields))).toEqual([])
    expect(seen.warnings).toEqual(warnings)
  })
})

const asked: Turn = { role: 'user', parts: [{ type: 'text', text: 'a' }] }
const called = (opaque: { issuer: string } | undefined): Turn => ({
  role: 'assistant',
  parts: [
    ...(opaque
      ? [
          {
            type: 'reasoning',
            text: 'hm',
            opaque: { ...opaque, kind: 'signature', data: 'E' },
          } as const,
        ]
      : []),
    { type: 'tool-call', id: '1', name: 'f', form: 'function', argumentsText: '{}' },
  ],
})
const answered: Turn = {
  role: 'user',
  parts: [
    {
      type: 'tool-result',
      callId: '1',
      form: 'function',
      parts: [{ type: 'text', text: 'ok' }],
      isError: false,
    },
  ],
}
const limited = {
  outputTokensMax: 4_000,
  reasoning: { mode: 'budget', budgetTokens: 2_000 },
} as const

const loops: [name: string, turns: Turn[], isOn: boolean][] = [
  ['the user adds a text to the result', [asked, called(undefined), answered, { ...asked }], false],
  ['the loop has its reasoning', [asked, called({ issuer }), answered], true],
  [
    'the first step of the loop has its reasoning',
    [asked, called({ issuer }), answered, called(undefined), answered],
    true,
  ],
  ['the reasoning of the loop is missing', [asked, called(undefined), answered], false],
  [
    'the reasoning of the loop is another vendor’s',
    [asked, called({ issuer: 'x/y' }), answered],
    false,
  ],
  [
    'the user has sent a new message since',
    [asked, called(undefined), answered, { role: 'assistant', parts: asked.parts }, asked],
    true,
  ],
  ['the answer is prefilled', [asked, { role: 'assistant', parts: asked.parts }], false],
]

describe('messages: manual thinking in a tool loop', () => {
  test.each(loops)('%s', (_, turns, isOn) => {
    const { body, warnings } = encoded({ ...limited, turns }, budget)
    expect('thinking' in body).toBe(isOn)
    expect(warnings.includes('thinking_dropped')).toBe(!isOn)
  })

  test('a model that always reasons still reasons', () => {
    const { body } = encoded({ ...limited, turns: [asked, called(undefined), answered] }, adaptive)
    expect(body['thinking']).toEqual({ type: 'adaptive' })
  })
})
