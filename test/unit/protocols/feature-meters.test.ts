import { describe, expect, test } from 'bun:test'
import { type FeatureUses, featureNames } from '../../../src/core/money/feature.ts'
import type { ProtocolName } from '../../../src/core/neutral/protocol-name.ts'
import { protocols } from '../../../src/protocols/index.ts'
import type { JsonObject } from '../../../src/wire/json.ts'
import { repliesAt } from '../../support/exchanges/recorded-replies.ts'

/** Everything except factors, which apply unless the reply names another. */
const factors = ['priorityTier', 'flexTier', 'otherTier', 'fastMode', 'regionalInference']
const counted = featureNames.filter((name) => !factors.includes(name))

function meterOf(
  protocol: ProtocolName,
  events: readonly JsonObject[],
  names: readonly string[] = counted,
  isForwarded = true,
) {
  const requested = featureNames
    .filter((name) => names.includes(name))
    .map((feature) => ({ feature, most: 1, param: '' }))
  const meter = protocols[protocol].passThrough.openFeatureMeter({
    requested,
    isForwarded,
    replies: repliesAt('https://nobody-knows.test'),
  })
  for (const event of events) meter.note(event)
  return meter
}

const call = (type: string, id: string, extra: JsonObject = {}) => ({ type, id, ...extra })
const done = (item: JsonObject) => ({ type: 'response.output_item.done', item })
const output = [
  call('web_search_call', 'ws_1', { action: { type: 'search', query: 'a' } }),
  call('web_search_call', 'ws_2', { action: { type: 'open_page', url: 'https://x.test' } }),
  call('web_search_call', 'ws_3'),
  call('file_search_call', 'fs_1'),
  call('code_interpreter_call', 'ci_1', { container_id: 'cntr_1' }),
  call('code_interpreter_call', 'ci_2', { container_id: 'cntr_1' }),
  call('code_interpreter_call', 'ci_3', { container_id: 'cntr_2' }),
  call('image_generation_call', 'ig_1', { status: 'completed', result: 'AA' }),
  call('image_generation_call', 'ig_2', { status: 'failed' }),
  call('mcp_call', 'mcp_1'),
  call('brand_new_call', 'bn_1'),
  call('function_call', 'fc_1'),
  { type: 'message', id: 'msg_1' },
]
const used = {
  webSearch: 2,
  fileSearch: 1,
  codeExecution: 2,
  imageGeneration: 1,
  mcp: 1,
  otherTool: 1,
}

const usage = (extra: JsonObject) => ({ input_tokens: 1, output_tokens: 1, ...extra })
const block = (name: string, type = 'server_tool_use') => ({
  type: 'content_block_start',
  content_block: { type, name },
})

const rows: readonly (readonly [string, ProtocolName, readonly JsonObject[], FeatureUses])[] = [
  ['a whole response', 'responses', [{ id: 'resp_1', output }], used],
  [
    'a streamed response, whose last event repeats everything',
    'responses',
    [...output.map(done), { type: 'response.completed', response: { output } }],
    used,
  ],
  ['a streamed response that is cut', 'responses', output.map(done), used],
  [
    'a stream whose items arrive only with the last event',
    'responses',
    [{ type: 'response.completed', response: { output } }],
    used,
  ],
  ['a response without calls', 'responses', [{ id: 'resp_1', output: [] }], {}],
  [
    'searches in the usage report',
    'messages',
    [
      {
        type: 'message',
        content: [],
        usage: usage({ server_tool_use: { web_search_requests: 4, web_fetch_requests: 1 } }),
      },
    ],
    { webSearch: 4, webFetch: 1 },
  ],
  [
    'searches in the usage report at the end of a stream',
    'messages',
    [
      { type: 'message_start', message: { content: [], usage: usage({}) } },
      block('web_search'),
      block('web_search'),
      block('web_search'),
      {
        type: 'message_delta',
        delta: {},
        usage: usage({ server_tool_use: { web_search_requests: 2 } }),
      },
    ],
    { webSearch: 2 },
  ],
  [
    'blocks of a stream that is cut',
    'messages',
    [
      block('web_search'),
      block('web_search'),
      block('bash_code_execution'),
      block('text_editor_code_execution'),
      block('lookup', 'mcp_tool_use'),
      block('mine', 'tool_use'),
    ],
    { webSearch: 2, codeExecution: 1, mcp: 1 },
  ],
  [
    'search queries of a newer model',
    'generate-content',
    [
      {
        modelVersion: 'gemini-3-pro',
        candidates: [{ groundingMetadata: { webSearchQueries: ['a', 'b', 'c'] } }],
      },
    ],
    { webSearch: 3 },
  ],
  [
    'an older model, which is billed per answer',
    'generate-content',
    [
      {
        modelVersion: 'gemini-2.5-flash',
        candidates: [{ groundingMetadata: { webSearchQueries: ['a', 'b'] } }],
      },
    ],
    { webSearch: 1 },
  ],
  [
    'chunks that repeat their queries',
    'generate-content',
    [
      {
        modelVersion: 'gemini-3',
        candidates: [{ groundingMetadata: { webSearchQueries: ['a'] } }],
      },
      {
        modelVersion: 'gemini-3',
        candidates: [{ groundingMetadata: { webSearchQueries: ['a', 'b'] } }],
      },
    ],
    { webSearch: 2 },
  ],
  [
    'maps, URL contexts and code',
    'generate-content',
    [
      {
        candidates: [
          {
            groundingMetadata: { groundingChunks: [{ maps: {} }, { maps: {} }] },
            urlContextMetadata: { urlMetadata: [{}, {}] },
            content: { parts: [{ executableCode: {} }, { executableCode: {} }] },
          },
        ],
      },
    ],
    { mapsSearch: 1, webFetch: 2, codeExecution: 1 },
  ],
  [
    'tokens by modality',
    'generate-content',
    [
      {
        usageMetadata: {
          promptTokensDetails: [
            { modality: 'TEXT', tokenCount: 5 },
            { modality: 'AUDIO', tokenCount: 7 },
          ],
          candidatesTokensDetails: [{ modality: 'IMAGE', tokenCount: 1290 }],
        },
      },
    ],
    { audioInput: 7, imageOutput: 1290 },
  ],
]

describe('the features that a reply used', () => {
  test.each(rows)('%s', (_, protocol, events, expected) => {
    expect(meterOf(protocol, events).uses()).toEqual(expected)
  })

  test('only requested features count', () => {
    expect(meterOf('responses', [{ output }], ['webSearch']).uses()).toEqual({ webSearch: 2 })
    expect(meterOf('messages', [block('bash_code_execution')], ['webSearch']).uses()).toEqual({})
  })

  test('chat-completions: one search, unless the answer reports more', () => {
    const names = ['webSearch', 'audioInput', 'audioOutput']
    expect(meterOf('chat-completions', [{ choices: [] }], names).uses()).toEqual({ webSearch: 1 })
    const told = {
      usage: {
        prompt_tokens_details: { audio_tokens: 3 },
        completion_tokens_details: { audio_tokens: 4 },
        num_search_queries: 2,
      },
    }
    expect(meterOf('chat-completions', [told], names).uses()).toEqual({
      webSearch: 2,
      audioInput: 3,
      audioOutput: 4,
    })
  })

  test('chat-completions translated from another protocol: only reported searches count', () => {
    expect(meterOf('chat-completions', [{ choices: [] }], ['webSearch'], false).uses()).toEqual({})
    const cited = { choices: [{ message: { annotations: [{ type: 'url_citation' }] } }] }
    expect(meterOf('chat-completions', [cited], ['webSearch'], false).uses()).toEqual({
      webSearch: 1,
    })
  })
})

describe('the tier that served the request', () => {
  const tiers: readonly (readonly [string, ProtocolName, string, JsonObject, boolean])[] = [
    ['as requested', 'chat-completions', 'priorityTier', { service_tier: 'priority' }, true],
    ['not reported', 'chat-completions', 'priorityTier', {}, true],
    ['a cheaper tier', 'chat-completions', 'priorityTier', { service_tier: 'default' }, false],
    ['as requested', 'responses', 'priorityTier', { service_tier: 'priority' }, true],
    [
      'a cheaper tier',
      'responses',
      'priorityTier',
      { type: 'response.completed', response: { service_tier: 'default' } },
      false,
    ],
    [
      'not known yet',
      'responses',
      'priorityTier',
      { type: 'response.created', response: { service_tier: 'default' } },
      true,
    ],
    ['as requested', 'messages', 'fastMode', { usage: { speed: 'fast' } }, true],
    ['not fast', 'messages', 'fastMode', { usage: { speed: 'standard' } }, false],
    [
      'in any region',
      'messages',
      'regionalInference',
      { usage: { inference_geo: 'global' } },
      false,
    ],
    [
      'a cheaper tier',
      'generate-content',
      'priorityTier',
      { usageMetadata: { serviceTier: 'standard' } },
      false,
    ],
  ]

  test.each(tiers)('%s: %s %s', (_, protocol, feature, reply, isServed) => {
    expect(feature in meterOf(protocol, [reply], [feature]).uses()).toBe(isServed)
  })

  test('an upstream of another protocol must report it', () => {
    expect(meterOf('messages', [{}], ['priorityTier'], false).uses()).toEqual({})
    const said = [{ service_tier: 'priority' }]
    expect(meterOf('responses', said, ['priorityTier'], false).uses()).toEqual({ priorityTier: 1 })
  })
})

test('objects that a reply creates are remembered by id', () => {
  expect(meterOf('responses', [{ output }]).objects()).toEqual(['cntr_1', 'cntr_2', 'ig_1', 'ig_2'])
  expect(
    meterOf('messages', [{ type: 'message', container: { id: 'container_1' } }]).objects(),
  ).toEqual(['container_1'])
  const audio = { choices: [{ message: { audio: { id: 'audio_1' } } }] }
  expect(meterOf('chat-completions', [audio]).objects()).toEqual(['audio_1'])
})
