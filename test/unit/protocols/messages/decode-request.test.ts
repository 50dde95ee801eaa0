import { describe, expect, test } from 'bun:test'
import { asFault } from '../../../../src/core/fault.ts'
import type { JsonObject } from '../../../../src/wire/json.ts'
import { decoded, least } from './helpers.ts'

const fields: [name: string, sent: JsonObject, expected: JsonObject][] = [
  [
    'an empty user message is still a turn, an empty assistant message is not',
    {
      messages: [
        { role: 'user', content: 'a' },
        { role: 'assistant', content: '' },
        { role: 'user', content: '' },
        { role: 'user', content: [] },
        {
          role: 'user',
          content: [
            { type: 'text', text: '' },
            { type: 'text', text: '', cache_control: { type: 'ephemeral' } },
          ],
        },
      ],
    },
    {
      turns: [
        { role: 'user', parts: [{ type: 'text', text: 'a' }] },
        { role: 'assistant', parts: [] },
        { role: 'user', parts: [{ type: 'text', text: '' }] },
        { role: 'user', parts: [{ type: 'text', text: '' }] },
        { role: 'user', parts: [{ type: 'text', text: '' }] },
      ],
    },
  ],
  ['system as text', { system: 'Be terse.' }, { system: [{ type: 'text', text: 'Be terse.' }] }],
  [
    'system as blocks',
    { system: [{ type: 'text', text: 'a', cache_control: { type: 'ephemeral' } }] },
    { system: [{ text: 'a', cacheMark: { ttl: '5m' } }] },
  ],
  [
    'tools',
    {
      tools: [
        { name: 'f', description: 'd', input_schema: { type: 'object' }, strict: true },
        {
          type: 'custom',
          name: 'g',
          defer_loading: true,
          eager_input_streaming: true,
          cache_control: { type: 'ephemeral' },
        },
        { type: 'web_search_20250305', name: 'web_search', max_uses: 2 },
        { type: 'bash_20250124', name: 'bash' },
        { type: 'mcp_toolset', mcp_server_name: 'x' },
      ],
    },
    {
      tools: [
        { type: 'function', name: 'f', schema: '{"type":"object"}', isStrict: true },
        { type: 'function', name: 'g', schema: undefined, cacheMark: { ttl: '5m' } },
        { type: 'hosted', kind: 'web-search', name: 'web_search', protocol: 'messages' },
        { type: 'hosted', kind: 'other', name: 'bash' },
        { type: 'hosted', kind: 'other', name: 'mcp_toolset' },
      ],
    },
  ],
  ['any tool', { tool_choice: { type: 'any' } }, { toolChoice: { type: 'required' } }],
  ['no tool', { tool_choice: { type: 'none' } }, { toolChoice: { type: 'none' } }],
  [
    'one tool, once',
    { tool_choice: { type: 'tool', name: 'f', disable_parallel_tool_use: true } },
    { toolChoice: { type: 'tool', name: 'f' }, parallelCalls: false },
  ],
  [
    'a budget',
    { thinking: { type: 'enabled', budget_tokens: 2048 } },
    { reasoning: { mode: 'budget', budgetTokens: 2048, isVisible: true } },
  ],
  [
    'a budget with hidden reasoning',
    { thinking: { type: 'enabled', budget_tokens: 2048, display: 'omitted' } },
    { reasoning: { mode: 'budget', budgetTokens: 2048, isVisible: false } },
  ],
  [
    'reasoning left to the model',
    { thinking: { type: 'adaptive' } },
    { reasoning: { mode: 'auto' } },
  ],
  [
    'reasoning with an effort',
    { thinking: { type: 'adaptive', display: 'summarized' }, output_config: { effort: 'xhigh' } },
    { reasoning: { mode: 'effort', effort: 'xhigh', isVisible: true } },
  ],
  [
    'an effort alone',
    { output_config: { effort: 'low' } },
    { reasoning: { mode: 'effort', effort: 'low' } },
  ],
  ['reasoning off', { thinking: { type: 'disabled' } }, { reasoning: { mode: 'off' } }],
  [
    'a format in its older position',
    { output_format: { type: 'json_schema', schema: { type: 'object' } } },
    { format: { type: 'json-schema', schema: '{"type":"object"}', name: undefined } },
  ],
  [
    'sampling, including zeros',
    { temperature: 0, top_p: 0, top_k: 0, stop_sequences: ['a', 'b'] },
    { sampling: { temperature: 0, topP: 0, topK: 0, stop: ['a', 'b'] } },
  ],
  ['no stop sequences', { stop_sequences: [] }, { sampling: { stop: undefined } }],
  ['an end-user id', { metadata: { user_id: '{"a":1}' } }, { endUser: '{"a":1}' }],
  ['the standard tier', { service_tier: 'standard_only' }, { serviceTier: 'default' }],
  [
    'a cache mark for the whole request',
    { cache_control: { type: 'ephemeral' } },
    { cacheMark: { ttl: '5m' } },
  ],
  [
    'unknown fields',
    { context_management: { edits: [] }, mcp_servers: [1], container: 'c', betas: null },
    { extras: { context_management: { edits: [] }, mcp_servers: [1], container: 'c' } },
  ],
]

describe('messages: fields of a request', () => {
  test.each(fields)('%s', (_, sent, expected) => {
    expect(decoded(sent)).toMatchObject(expected)
  })

  test('absent fields stay absent', () => {
    expect(decoded({})).toEqual({
      model: 'public-model',
      isStream: false,
      system: [],
      turns: [{ role: 'user', parts: [{ type: 'text', text: 'Hi' }] }],
      tools: [],
      toolChoice: undefined,
      parallelCalls: undefined,
      outputTokensMax: 1_000,
      sampling: { temperature: undefined, topP: undefined, topK: undefined, stop: undefined },
      answers: 1,
      format: undefined,
      reasoning: undefined,
      logprobs: undefined,
      verbosity: undefined,
      endUser: undefined,
      cacheKey: undefined,
      serviceTier: undefined,
      metadata: undefined,
      cacheMark: undefined,
      extras: {},
    })
  })

  test('instructions keep their position: before, between and inside turns', () => {
    const { system, turns } = decoded({
      system: 'a',
      messages: [
        { role: 'system', content: 'b' },
        { role: 'user', content: 'Hi', output_config: { effort: 'low' } },
        { role: 'system', content: [{ type: 'text', text: 'c' }] },
        {
          role: 'user',
          content: [
            { type: 'text', text: '1' },
            { type: 'mid_conv_system', content: [{ type: 'text', text: 'd' }] },
            { type: 'text', text: '2' },
          ],
        },
      ],
    })
    expect(system.map(({ text }) => text)).toEqual(['a', 'b'])
    expect(
      turns.map(({ role, parts }) => [role, parts.map((part) => 'text' in part && part.text)]),
    ).toEqual([
      ['user', ['Hi']],
      ['system', ['c']],
      ['user', ['1']],
      ['system', ['d']],
      ['user', ['2']],
    ])
  })

  test.each([
    [{ tools: ['f'] }, 'tools[0]'],
    [{ tools: [{ input_schema: {} }] }, 'tools[0].name'],
    [{ tools: [{ name: 'f', input_schema: 'x' }] }, 'tools[0].input_schema'],
    [{ tool_choice: { type: 'tool' } }, 'tool_choice.name'],
    [{ tool_choice: { type: 'required' } }, 'tool_choice.type'],
    [{ stop_sequences: [1] }, 'stop_sequences[0]'],
    [{ output_config: { format: { type: 'json_schema' } } }, 'output_config.format.schema'],
    [{ system: [{ type: 'image' }] }, 'system[0]'],
  ] as [JsonObject, string][])('%j is refused by name', (sent, param) => {
    expect.assertions(1)
    try {
      decoded({ ...least, ...sent })
    } catch (error) {
      expect(asFault(error).details.param).toBe(param)
    }
  })
})
