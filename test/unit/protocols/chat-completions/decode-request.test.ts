import { describe, expect, test } from 'bun:test'
import type { ModelRequest, Turn } from '../../../../src/core/neutral/model-request.ts'
import { ask, decodeRequest, plainRequest } from './helpers.ts'

const user: Turn = { role: 'user', parts: [{ type: 'text', text: 'hi' }] }
const schema =
  '{"type":"object","properties":{"2":{"const":12345678901234567890},"1":{"minimum":1.0}}}'

type Row = [name: string, more: object, expected: Partial<ModelRequest>]

const fields: Row[] = [
  ['only the required fields', {}, { turns: [user], tools: [], answers: 1, extras: {} }],
  [
    'the newer limit takes precedence over the older one',
    { max_tokens: 9, max_completion_tokens: 5 },
    { outputTokensMax: 5 },
  ],
  ['the older limit alone', { max_tokens: 9 }, { outputTokensMax: 9 }],
  [
    'zeros are values',
    { temperature: 0, top_p: 0, seed: 0, presence_penalty: 0, frequency_penalty: 0, top_k: 0 },
    {
      sampling: {
        temperature: 0,
        topP: 0,
        seed: 0,
        presencePenalty: 0,
        frequencyPenalty: 0,
        topK: 0,
      },
    },
  ],
  [
    'null counts as not sent',
    { temperature: null, stop: null, tools: null, user: null },
    { sampling: {}, tools: [] },
  ],
  ['one stop sequence', { stop: 'END' }, { sampling: { stop: ['END'] } }],
  ['several stop sequences', { stop: ['a', 'b'] }, { sampling: { stop: ['a', 'b'] } }],
  ['answers', { n: 3 }, { answers: 3 }],
  ['logprobs', { logprobs: true, top_logprobs: 4 }, { logprobs: { top: 4 } }],
  ['logprobs turned off', { logprobs: false }, { logprobs: undefined }],
  ['user', { user: 'u' }, { endUser: 'u' }],
  [
    'the newer name of the end user takes precedence',
    { user: 'u', safety_identifier: 's' },
    { endUser: 's' },
  ],
  [
    'hints',
    {
      prompt_cache_key: 'k',
      service_tier: 'flex',
      verbosity: 'low',
      cache_control: { type: 'ephemeral', ttl: '1h' },
    },
    { cacheKey: 'k', serviceTier: 'flex', verbosity: 'low', cacheMark: { ttl: '1h' } },
  ],
  ['metadata', { metadata: { a: 'b' } }, { metadata: '{"a":"b"}' }],
  ['effort', { reasoning_effort: 'low' }, { reasoning: { mode: 'effort', effort: 'low' } }],
  ['effort none turns reasoning off', { reasoning_effort: 'none' }, { reasoning: { mode: 'off' } }],
  [
    'OpenRouter: effort',
    { reasoning: { effort: 'high' } },
    { reasoning: { mode: 'effort', effort: 'high' } },
  ],
  [
    'OpenRouter: budget',
    { reasoning: { max_tokens: 99, exclude: true } },
    { reasoning: { mode: 'budget', budgetTokens: 99, isVisible: false } },
  ],
  ['OpenRouter: off', { reasoning: { enabled: false } }, { reasoning: { mode: 'off' } }],
  ['Moonshot: off', { thinking: { type: 'disabled' } }, { reasoning: { mode: 'off' } }],
  ['Qwen: on', { enable_thinking: true }, { reasoning: { mode: 'auto' } }],
  ['plain text output', { response_format: { type: 'text' } }, { format: undefined }],
  [
    'JSON object output',
    { response_format: { type: 'json_object' } },
    { format: { type: 'json-object' } },
  ],
  [
    'unknown fields are kept',
    { prediction: { type: 'content' }, store: false },
    { extras: { prediction: { type: 'content' }, store: false } },
  ],
  ['parallel tool calls', { parallel_tool_calls: false }, { parallelCalls: false }],
  ['a tool choice by word', { tool_choice: 'required' }, { toolChoice: { type: 'required' } }],
  ['a tool choice by Mistral’s word', { tool_choice: 'any' }, { toolChoice: { type: 'required' } }],
  [
    'a tool choice by function',
    { tool_choice: { type: 'function', function: { name: 'f' } } },
    { toolChoice: { type: 'tool', name: 'f' } },
  ],
  [
    'a tool choice of allowed tools',
    {
      tool_choice: {
        type: 'allowed_tools',
        allowed_tools: { mode: 'required', tools: [{ type: 'function', function: { name: 'f' } }] },
      },
    },
    { toolChoice: { type: 'allowed', names: ['f'], isRequired: true } },
  ],
  [
    'the older form of tools, one call at a time',
    { functions: [{ name: 'f', parameters: {} }], function_call: { name: 'f' } },
    {
      tools: [
        { type: 'function', name: 'f', description: undefined, schema: '{}', isStrict: undefined },
      ],
      toolChoice: { type: 'tool', name: 'f' },
      parallelCalls: false,
    },
  ],
  [
    'web search',
    { web_search_options: { search_context_size: 'low' } },
    {
      tools: [
        {
          type: 'hosted',
          kind: 'web-search',
          name: 'web_search_options',
          protocol: 'chat-completions',
          json: '{"search_context_size":"low"}',
        },
      ],
    },
  ],
  [
    'a custom tool with a grammar',
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
  ],
  [
    'a custom tool',
    { tools: [{ type: 'custom', custom: { name: 'c', format: { type: 'text' } } }] },
    { tools: [{ type: 'custom', name: 'c', description: undefined, format: '{"type":"text"}' }] },
  ],
]

describe('a chat request in the neutral form', () => {
  test.each(fields)('%s', (_, more, expected) => {
    expect(decodeRequest(ask(more))).toEqual({ ...plainRequest, ...expected })
  })

  test('schemas, arguments and biases stay exactly as sent', () => {
    const text = `{"model":"m","messages":[{"role":"user","content":"hi"},{"role":"assistant","tool_calls":[{"id":"a","type":"function","function":{"name":"f","arguments":{"n":1.50,"2":1,"1":2}}}]}],"tools":[{"type":"function","function":{"name":"f","parameters":${schema},"strict":true}}],"response_format":{"type":"json_schema","json_schema":{"name":"s","schema":${schema}}},"logit_bias":{"50256":-100.0}}`
    const request = decodeRequest(text)
    expect(request.tools).toMatchObject([{ schema, isStrict: true }])
    expect(request.format).toMatchObject({ schema, isStrict: undefined })
    expect(request.sampling.logitBias).toBe('{"50256":-100.0}')
    expect(request.turns[1]?.parts).toMatchObject([{ argumentsText: '{"n":1.50,"2":1,"1":2}' }])
  })

  test('a schema beside the older type counts as a schema', () => {
    const format = { type: 'json_object', schema: { type: 'object' } }
    expect(decodeRequest(ask({ response_format: format })).format).toMatchObject({
      type: 'json-schema',
      schema: '{"type":"object"}',
    })
  })
})
