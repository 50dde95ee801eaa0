import { describe, expect, test } from 'bun:test'
import { asFault } from '../../../../src/core/fault.ts'
import type { ModelRequest } from '../../../../src/core/neutral/model-request.ts'
import type { ModelTraits } from '../../../../src/protocols/model-traits.ts'
import type { JsonObject } from '../../../../src/wire/json.ts'
import { encoded, plainRequest } from './helpers.ts'
import { assistant, call, result, text, tool, user } from './parts.ts'

type Fields = Partial<ModelRequest>

const schema = '{"type":"object","properties":{"a":{"type":"string"}}}'
const jsonSchema = {
  type: 'json-schema',
  name: 'n',
  description: undefined,
  schema:
    '{"type":"object","properties":{"n":{"type":"integer","minimum":1}},"additionalProperties":false}',
  isStrict: true,
} as const

const tools = [tool, { ...tool, name: 'g' }]

type Row = [name: string, sent: Fields, traits: ModelTraits, body: JsonObject, warnings: string[]]

const rows: Row[] = [
  [
    'a tool',
    { tools: [{ ...tool, schema }] },
    {},
    { tools: [{ name: 'f', description: 'd', input_schema: JSON.parse(schema) }] },
    [],
  ],
  [
    'a tool without parameters',
    { tools: [{ ...tool, schema: undefined }] },
    {},
    { tools: [{ input_schema: { type: 'object', properties: {} } }] },
    [],
  ],
  [
    'a schema without its type',
    { tools: [{ ...tool, schema: '{"properties":{}}' }] },
    {},
    { tools: [{ input_schema: { properties: {}, type: 'object' } }] },
    [],
  ],
  [
    'a search of another protocol',
    {
      tools: [
        {
          type: 'hosted',
          kind: 'web-search',
          name: 'web_search',
          protocol: 'responses',
          json: '{"type":"web_search","filters":{"allowed_domains":["x.org"]}}',
        },
      ],
    },
    {},
    {
      tools: [{ type: 'web_search_20250305', name: 'web_search', allowed_domains: ['x.org'] }],
    },
    [],
  ],
  [
    'a hosted tool of another vendor, beside a function',
    {
      tools: [
        tool,
        {
          type: 'hosted',
          kind: 'other',
          name: 'image_generation',
          protocol: 'responses',
          json: '{}',
        },
      ],
    },
    {},
    { tools: [{ name: 'f' }] },
    ['tools_image_generation_dropped'],
  ],
  [
    'a choice of allowed tools',
    {
      tools: [tool, { ...tool, name: 'g' }],
      toolChoice: { type: 'allowed', names: ['g'], isRequired: true },
    },
    {},
    { tools: [{ name: 'g' }], tool_choice: { type: 'any' } },
    [],
  ],
  [
    'one call at a time',
    { tools: [tool], parallelCalls: false },
    {},
    { tools: [{ name: 'f' }], tool_choice: { type: 'auto', disable_parallel_tool_use: true } },
    [],
  ],
  [
    'a schema for the answer; unsupported limits become descriptions',
    { format: jsonSchema },
    {},
    {
      output_config: {
        format: {
          type: 'json_schema',
          schema: {
            type: 'object',
            properties: { n: { type: 'integer', description: '(minimum: 1)' } },
            additionalProperties: false,
          },
        },
      },
    },
    [],
  ],
  [
    'JSON object output',
    { format: { type: 'json-object' } },
    {},
    { system: [{ type: 'text', text: expect.stringContaining('JSON object') }] },
    ['output_config.format_as_instruction'],
  ],
  [
    'a schema for a model without structured output',
    { format: { ...jsonSchema, isStrict: undefined } },
    { takesOutputFormat: false },
    { system: [{ text: expect.stringContaining(jsonSchema.schema) }] },
    ['output_config.format_as_instruction'],
  ],
  [
    'an output limit above the model’s',
    { outputTokensMax: 99_999 },
    {},
    { max_tokens: 8_000 },
    ['max_tokens_clamped'],
  ],
  ['no output limit', { outputTokensMax: undefined }, {}, { max_tokens: 8_000 }, []],
  [
    'a temperature above the range',
    { sampling: { temperature: 1.5 } },
    {},
    { temperature: 1 },
    ['temperature_clamped'],
  ],
  ['zeros', { sampling: { temperature: 0, topK: 0 } }, {}, { temperature: 0, top_k: 0 }, []],
  [
    'temperature with a top_p that has no effect',
    { sampling: { temperature: 0.2, topP: 1 } },
    {},
    { temperature: 0.2 },
    [],
  ],
  [
    'temperature with top_p',
    { sampling: { temperature: 0.2, topP: 0.5 } },
    {},
    { temperature: 0.2 },
    ['top_p_dropped'],
  ],
  [
    'a model with fixed sampling',
    { sampling: { temperature: 0.2, topP: 0.5, topK: 3 } },
    { takesSampling: false },
    {},
    ['temperature_dropped', 'top_p_dropped', 'top_k_dropped'],
  ],
  [
    'a temperature above the range for a model with fixed sampling: nothing is clamped',
    { sampling: { temperature: 1.7, topP: 1.2 } },
    { takesSampling: false },
    {},
    ['temperature_dropped', 'top_p_dropped'],
  ],
  [
    'a forced call',
    { tools: [tool], toolChoice: { type: 'tool', name: 'f' } },
    {},
    { tools: [{ name: 'f' }], tool_choice: { type: 'tool', name: 'f' } },
    [],
  ],
  [
    'a forced call for a model that cannot be forced becomes an instruction',
    { system: [{ type: 'text', text: 's' }], tools, toolChoice: { type: 'tool', name: 'f' } },
    { takesForcedCalls: false },
    {
      system: [
        { type: 'text', text: 's' },
        { type: 'text', text: 'Answer by calling the tool "f", and with nothing else.' },
      ],
      tools: [{ name: 'f' }, { name: 'g' }],
      tool_choice: { type: 'auto' },
    },
    ['tool_choice_not_forced'],
  ],
  [
    'any call for a model that cannot be forced, with JSON output',
    { tools, toolChoice: { type: 'required' }, format: { type: 'json-object' } },
    { takesForcedCalls: false },
    {
      system: [
        { type: 'text', text: expect.stringContaining('JSON object') },
        { type: 'text', text: 'Answer by calling one of the tools, and with nothing else.' },
      ],
      tools: [{ name: 'f' }, { name: 'g' }],
      tool_choice: { type: 'auto' },
    },
    ['output_config.format_as_instruction', 'tool_choice_not_forced'],
  ],
  [
    'a free choice for a model that cannot be forced gives no instruction',
    { tools, toolChoice: { type: 'allowed', names: ['g'], isRequired: false } },
    { takesForcedCalls: false },
    { tools: [{ name: 'g' }], tool_choice: { type: 'auto' } },
    [],
  ],
  [
    'a history with calls but no tools: its tools are declared, and none may be called',
    {
      turns: [user(text('a')), assistant(call('1'), call('2')), user(result('1'), result('2'))],
      toolChoice: { type: 'required' },
      parallelCalls: false,
    },
    { takesForcedCalls: false },
    { tools: [{ name: 'f', input_schema: { type: 'object' } }], tool_choice: { type: 'none' } },
    [],
  ],
  [
    'a history with calls and other tools: only the other tools are declared',
    {
      turns: [user(text('a')), assistant(call('1')), user(result('1'))],
      tools: [{ ...tool, name: 'g' }],
    },
    {},
    { tools: [{ name: 'g' }] },
    [],
  ],
  [
    'names of speakers, as another protocol’s decoder found them',
    { extras: { 'messages.name': true } },
    {},
    {},
    ['messages.name_dropped'],
  ],
  [
    'fields that only other protocols have',
    {
      sampling: { seed: 0, presencePenalty: 1, frequencyPenalty: 0, logitBias: '{"1":2}' },
      logprobs: { top: 1 },
      verbosity: 'low',
      cacheKey: 'k',
      metadata: '{}',
      serviceTier: 'flex',
      extras: { store: true, prediction: {}, context_management: [1] },
    },
    {},
    {},
    [
      'logprobs_dropped',
      'verbosity_dropped',
      'prompt_cache_key_dropped',
      'metadata_dropped',
      'seed_dropped',
      'presence_penalty_dropped',
      'logit_bias_dropped',
      'service_tier_dropped',
      'store_dropped',
      'prediction_dropped',
      'context_management_dropped',
    ],
  ],
  [
    'fields that only this protocol has',
    {
      endUser: 'u',
      serviceTier: 'default',
      cacheMark: { ttl: '1h' },
      extras: { context_management: { edits: [] }, mcp_servers: [{ name: 'x' }] },
    },
    {},
    {
      metadata: { user_id: 'u' },
      service_tier: 'standard_only',
      cache_control: { type: 'ephemeral', ttl: '1h' },
      context_management: { edits: [] },
      mcp_servers: [{ name: 'x' }],
    },
    [],
  ],
]

describe('messages: fields towards an upstream', () => {
  test.each(rows)('%s', (_, sent, traits, body, warnings) => {
    const seen = encoded(sent, traits)
    expect(seen.body).toMatchObject(body)
    expect(seen.warnings).toEqual(warnings)
    const known = new Set(['model', 'max_tokens', 'messages', ...Object.keys(body)])
    expect(Object.keys(seen.body).filter((name) => !known.has(name))).toEqual([])
  })

  const refused: [name: string, sent: Fields, traits: ModelTraits, param: string][] = [
    ['several answers', { answers: 2 }, {}, 'n'],
    [
      'a choice of an unknown tool',
      { tools: [tool], toolChoice: { type: 'tool', name: 'x' } },
      {},
      'tool_choice',
    ],
    [
      'a strict schema that the model cannot guarantee',
      { format: jsonSchema },
      { takesOutputFormat: false },
      'output_config.format',
    ],
  ]
  test.each(refused)('%s is refused even in a lenient group', (_, sent, traits, param) => {
    expect.assertions(1)
    try {
      encoded(sent, traits)
    } catch (error) {
      expect(asFault(error).details.param).toBe(param)
    }
  })

  test('a strict group gets the names of changed fields', () => {
    expect(() => encoded({ sampling: { seed: 1 } }, {}, {}, true)).toThrow('"seed"')
    expect(() => encoded({ cacheKey: 'k' }, {}, {}, true)).not.toThrow()
  })

  test('the same request is the same bytes', () => {
    const sent: Fields = {
      tools: [tool],
      turns: [user(text('a')), assistant(call('1')), user(result('1'))],
    }
    expect(encoded(sent).text).toBe(encoded(sent).text)
  })

  test('schemas keep their spelling', () => {
    const spelled = '{"type":"object","properties":{"2":{"minimum":1.0},"1":{"const":1e2}}}'
    expect(encoded({ tools: [{ ...tool, schema: spelled }] }).text).toContain(spelled)
  })

  test('a minimal request has only the required fields', () => {
    expect(encoded({}).text).toBe(
      '{"model":"upstream-model","max_tokens":1000,"messages":[{"role":"user","content":[{"type":"text","text":"Hi"}]}]}',
    )
    expect(plainRequest.isStream).toBe(false)
    expect(encoded({ isStream: true }).body['stream']).toBe(true)
  })
})
