import { describe, expect, test } from 'bun:test'
import { Fault } from '../../../../src/core/fault.ts'
import type { ModelRequest, Tool } from '../../../../src/core/neutral/model-request.ts'
import type { ModelTraits } from '../../../../src/protocols/model-traits.ts'
import { encodeRequest, plainRequest, targetOf } from './helpers.ts'

const f: Tool = {
  type: 'function',
  name: 'f',
  description: undefined,
  schema: '{"a":1.0}',
  isStrict: undefined,
}
const g: Tool = { ...f, name: 'g', description: 'does', schema: undefined, isStrict: true }
const search: Tool = {
  type: 'hosted',
  kind: 'web-search',
  name: 'web_search',
  protocol: 'responses',
  json: '{}',
}
const ownSearch: Tool = {
  ...search,
  name: 'web_search_options',
  protocol: 'chat-completions',
  json: '{"x":1}',
}
const shell: Tool = {
  type: 'hosted',
  kind: 'other',
  name: 'local_shell',
  protocol: 'responses',
  json: '{}',
}
const simple: ModelTraits = { outputLimitField: 'max_tokens' }
const said = [{ role: 'user', content: 'hi' }]
const least = { model: 'up', messages: said }
const schema = {
  type: 'json-schema',
  name: undefined,
  description: undefined,
  schema: '{"type":"object"}',
  isStrict: undefined,
} as const
const fTool = { type: 'function', function: { name: 'f', parameters: { a: 1 } } }
const gTool = { type: 'function', function: { name: 'g', description: 'does', strict: true } }

type Row = [
  name: string,
  request: Partial<ModelRequest>,
  traits: ModelTraits,
  expected: object,
  warnings?: string[],
]

const rows: Row[] = [
  ['only the required fields', {}, {}, {}],
  [
    'a stream requests usage',
    { isStream: true },
    {},
    { stream: true, stream_options: { include_usage: true } },
  ],
  [
    'a stream for a server without usage reports',
    { isStream: true },
    { takesStreamOptions: false },
    { stream: true },
  ],
  ['the output limit', { outputTokensMax: 9 }, {}, { max_completion_tokens: 9 }],
  ['the output limit under its older name', { outputTokensMax: 9 }, simple, { max_tokens: 9 }],
  [
    'an output limit above the model’s',
    { outputTokensMax: 99_999 },
    {},
    { max_completion_tokens: 8_000 },
    ['max_completion_tokens_clamped'],
  ],
  [
    'sampling, including zeros',
    {
      sampling: {
        temperature: 0,
        topP: 0,
        seed: 0,
        presencePenalty: 0,
        frequencyPenalty: 0,
        stop: ['a'],
        logitBias: '{"1":2}',
      },
    },
    {},
    {
      temperature: 0,
      top_p: 0,
      seed: 0,
      presence_penalty: 0,
      frequency_penalty: 0,
      stop: ['a'],
      logit_bias: { '1': 2 },
    },
  ],
  ['top_k, which this protocol lacks', { sampling: { topK: 4 } }, {}, {}, ['top_k_dropped']],
  [
    'models with fixed sampling',
    { sampling: { temperature: 0.3, topP: 1, presencePenalty: 0 } },
    { takesSampling: false },
    {},
    ['temperature_dropped', 'top_p_dropped', 'presence_penalty_dropped'],
  ],
  ['no stop sequences', { sampling: { stop: ['a'] } }, { stopMax: 0 }, {}, ['stop_dropped']],
  ['answers', { answers: 2 }, {}, { n: 2 }],
  ['logprobs', { logprobs: { top: 3 } }, {}, { logprobs: true, top_logprobs: 3 }],
  ['logprobs without alternatives', { logprobs: { top: 0 } }, {}, { logprobs: true }],
  ['effort', { reasoning: { mode: 'effort', effort: 'high' } }, {}, { reasoning_effort: 'high' }],
  [
    'OpenRouter: reasoning left to the model',
    { reasoning: { mode: 'auto' } },
    { reasoningReturn: 'reasoning_details' },
    { reasoning: { enabled: true } },
  ],
  [
    'OpenRouter: a budget',
    { reasoning: { mode: 'budget', budgetTokens: 9 } },
    { reasoningReturn: 'reasoning_details' },
    { reasoning: { max_tokens: 9 } },
  ],
  [
    'OpenRouter: off',
    { reasoning: { mode: 'off' } },
    { reasoningReturn: 'reasoning_details' },
    { reasoning: { enabled: false } },
  ],
  ['reasoning left to the model', { reasoning: { mode: 'auto' } }, {}, {}],
  [
    'a model without reasoning',
    { reasoning: { mode: 'effort', effort: 'high' } },
    { thinking: 'none' },
    {},
    ['reasoning_effort_dropped'],
  ],
  [
    'hints',
    { verbosity: 'low', endUser: 'u', cacheKey: 'k', serviceTier: 'flex' },
    {},
    { verbosity: 'low', user: 'u', prompt_cache_key: 'k', service_tier: 'flex' },
  ],
  ['a tier of another protocol', { serviceTier: 'standard_only' }, {}, { service_tier: 'default' }],
  [
    'cache hints for a compatible server',
    { verbosity: 'low', endUser: 'u', cacheKey: 'k', serviceTier: 'flex' },
    simple,
    {},
    ['verbosity_dropped', 'service_tier_dropped', 'prompt_cache_key_dropped', 'user_dropped'],
  ],
  ['an end-user id that is too long', { endUser: 'u'.repeat(65) }, {}, {}, ['user_dropped']],
  ['labels', { metadata: '{"a":"b"}' }, {}, {}, ['metadata_dropped']],
  [
    'extra fields of this and of another protocol',
    { extras: { prediction: { a: 1 }, truncation: 'auto' } },
    {},
    { prediction: { a: 1 } },
    ['truncation_dropped'],
  ],
  [
    'a cache mark for the whole request',
    { cacheMark: { ttl: '5m' } },
    { takesCacheMarks: true },
    { cache_control: { type: 'ephemeral' } },
  ],
  [
    'JSON object output',
    { format: { type: 'json-object' } },
    {},
    { response_format: { type: 'json_object' } },
  ],
  [
    'a schema gets a name and is not strict by default',
    { format: schema },
    {},
    {
      response_format: {
        type: 'json_schema',
        json_schema: { name: 'response', schema: { type: 'object' }, strict: false },
      },
    },
  ],
  [
    'a strict schema keeps its name',
    { format: { ...schema, name: 'n', description: 'd', isStrict: true } },
    {},
    {
      response_format: {
        type: 'json_schema',
        json_schema: { name: 'n', description: 'd', schema: { type: 'object' }, strict: true },
      },
    },
  ],
  [
    'a schema for a server that supports only JSON objects becomes an instruction',
    { format: schema },
    { structuredOutput: 'json_object' },
    {
      response_format: { type: 'json_object' },
      messages: [
        {
          role: 'system',
          content:
            'Answer with one JSON object and nothing else. It must match this JSON Schema:\n{"type":"object"}',
        },
        ...said,
      ],
    },
    ['response_format_weakened'],
  ],
  [
    'tools',
    { tools: [f, g], toolChoice: { type: 'auto' }, parallelCalls: false },
    {},
    { tools: [fTool, gTool], tool_choice: 'auto', parallel_tool_calls: false },
  ],
  [
    'a tool choice without tools is dropped',
    { toolChoice: { type: 'auto' }, parallelCalls: true },
    {},
    {},
  ],
  [
    'a tool choice by name',
    { tools: [f], toolChoice: { type: 'tool', name: 'f' } },
    {},
    { tools: [fTool], tool_choice: { type: 'function', function: { name: 'f' } } },
  ],
  [
    'allowed tools',
    { tools: [f, g], toolChoice: { type: 'allowed', names: ['g'], isRequired: true } },
    {},
    {
      tools: [fTool, gTool],
      tool_choice: {
        type: 'allowed_tools',
        allowed_tools: { mode: 'required', tools: [{ type: 'function', function: { name: 'g' } }] },
      },
    },
  ],
  [
    'allowed tools for a compatible server',
    { tools: [f, g], toolChoice: { type: 'allowed', names: ['g'], isRequired: false } },
    simple,
    { tools: [gTool], tool_choice: 'auto' },
  ],
  [
    'a hosted tool beside functions',
    { tools: [f, shell] },
    {},
    { tools: [fTool] },
    ['tools_local_shell_dropped'],
  ],
  [
    'a search for models that cannot search',
    { tools: [search, f] },
    {},
    { tools: [fTool] },
    ['tools_web_search_dropped'],
  ],
  [
    'a search requested by a chat client',
    { tools: [ownSearch] },
    {},
    { web_search_options: { x: 1 } },
  ],
  [
    'a grammar in its own object',
    {
      tools: [
        {
          type: 'custom',
          name: 'c',
          description: undefined,
          format: '{"type":"grammar","syntax":"lark","definition":"x"}',
        },
      ],
    },
    {},
    {
      tools: [
        {
          type: 'custom',
          custom: {
            name: 'c',
            format: { type: 'grammar', grammar: { syntax: 'lark', definition: 'x' } },
          },
        },
      ],
    },
  ],
  [
    'a custom tool that was not converted to a function',
    { tools: [{ type: 'custom', name: 'c', description: 'd', format: '{"type":"text"}' }] },
    {},
    {
      tools: [
        { type: 'custom', custom: { name: 'c', description: 'd', format: { type: 'text' } } },
      ],
    },
  ],
]

type Refusal = [name: string, request: Partial<ModelRequest>, traits: ModelTraits, param: string]

const refusals: Refusal[] = [
  ['too many stop sequences', { sampling: { stop: ['a', 'b', 'c', 'd', 'e'] } }, {}, 'stop'],
  [
    'a strict schema that the server does not enforce',
    { format: { ...schema, isStrict: true } },
    { structuredOutput: 'json_object' },
    'response_format',
  ],
  [
    'a choice of an unknown tool',
    { tools: [f], toolChoice: { type: 'tool', name: 'h' } },
    {},
    'tool_choice',
  ],
  [
    'a choice of a hosted tool',
    { tools: [f, shell], toolChoice: { type: 'tool', name: 'local_shell' } },
    {},
    'tool_choice',
  ],
  [
    'a required call without tools',
    { tools: [shell], toolChoice: { type: 'required' } },
    {},
    'tool_choice',
  ],
]

function faultOf(attempt: () => unknown): Fault {
  try {
    attempt()
  } catch (error) {
    if (error instanceof Fault) return error
    throw error
  }
  throw new Error('the request was not refused')
}

describe('a neutral request as a chat request', () => {
  test.each(rows)('%s', (_, request, traits, expected, warnings = []) => {
    const encoded = encodeRequest({ ...plainRequest, ...request }, targetOf(traits))
    expect(encoded.body).toStrictEqual({ ...least, ...expected })
    expect(encoded.warnings).toEqual(warnings)
  })

  test('a search model is asked to search', () => {
    const target = targetOf({}, 'gpt-4o-search-preview')
    const { body, warnings } = encodeRequest({ ...plainRequest, tools: [search] }, target)
    expect(body['web_search_options']).toEqual({})
    expect(warnings).toEqual([])
  })

  test.each(refusals)('refused: %s', (_, request, traits, param) => {
    const fault = faultOf(() => encodeRequest({ ...plainRequest, ...request }, targetOf(traits)))
    expect(fault.code).toBe('invalid_request')
    expect(fault.details.param).toBe(param)
  })

  test('a strict group refuses what a lenient one drops, except harmless changes', () => {
    const lossy = { ...plainRequest, sampling: { topK: 4 } }
    expect(faultOf(() => encodeRequest(lossy, targetOf(), true)).details.param).toBe('top_k')
    const unheard = { ...plainRequest, extras: { unheard: 1 } }
    expect(faultOf(() => encodeRequest(unheard, targetOf(), true)).details.param).toBe('unheard')
    const harmless = { ...plainRequest, metadata: '{}' }
    expect(encodeRequest(harmless, targetOf(), true).warnings).toEqual(['metadata_dropped'])
  })

  test('schemas and biases are written exactly as sent', () => {
    const exact = '{"2":12345678901234567890,"1":1.0}'
    const { text } = encodeRequest({
      ...plainRequest,
      tools: [{ ...f, schema: exact }],
      format: { ...schema, schema: exact },
      sampling: { logitBias: exact },
    })
    expect(text.split(exact)).toHaveLength(4)
  })

  test('the same request is the same bytes', () => {
    const request = { ...plainRequest, tools: [f, g] }
    expect(encodeRequest(request).text).toBe(encodeRequest(structuredClone(request)).text)
  })
})
