import { describe, expect, test } from 'bun:test'
import type { FeatureName } from '../../../src/core/money/feature.ts'
import type { ProtocolName } from '../../../src/core/neutral/protocol-name.ts'
import { protocols } from '../../../src/protocols/index.ts'
import type { RequestFacts } from '../../../src/protocols/request-facts.ts'
import type { JsonObject } from '../../../src/wire/json.ts'

const bodies: Readonly<Record<ProtocolName, JsonObject>> = {
  'chat-completions': { model: 'm', messages: [{ role: 'user', content: 'hi' }] },
  responses: { model: 'm', input: 'hi' },
  messages: { model: 'm', max_tokens: 9, messages: [{ role: 'user', content: 'hi' }] },
  'generate-content': { contents: [{ role: 'user', parts: [{ text: 'hi' }] }] },
}

function factsOf(protocol: ProtocolName, extra: JsonObject): RequestFacts {
  const value = { ...bodies[protocol], ...extra }
  const body = { text: JSON.stringify(value), value, members: new Map() }
  const path = { model: 'm', isStream: false, framing: 'sse' } as const
  return protocols[protocol].passThrough.decodeFacts(body, path)
}

type Row = readonly [ProtocolName, JsonObject, Partial<Record<FeatureName, [string, number]>>]

const tool = (...types: string[]) => ({ tools: types.map((type) => ({ type })) })

const rows: readonly Row[] = [
  ['chat-completions', { service_tier: 'priority' }, { priorityTier: ['service_tier', 1] }],
  ['chat-completions', { service_tier: 'flex' }, { flexTier: ['service_tier', 1] }],
  ['chat-completions', { service_tier: 'fast' }, { fastMode: ['service_tier', 1] }],
  ['chat-completions', { service_tier: 'scale' }, { otherTier: ['service_tier', 1] }],
  ['chat-completions', { web_search_options: {} }, { webSearch: ['web_search_options', 10] }],
  ['chat-completions', { plugins: [{ id: 'web' }] }, { webSearch: ['plugins', 10] }],
  ['chat-completions', { modalities: ['text', 'audio'] }, { audioOutput: ['modalities', 1] }],
  ['chat-completions', { modalities: ['image', 'text'] }, { imageOutput: ['modalities', 1] }],
  [
    'chat-completions',
    { messages: [{ role: 'user', content: [{ type: 'input_audio', input_audio: {} }] }] },
    { audioInput: ['messages[0].content[0]', 1] },
  ],
  ['chat-completions', tool('brand_new_tool'), { otherTool: ['tools[0]', 1] }],
  [
    'chat-completions',
    { tools: [{ type: 'builtin_function', function: { name: '$web_search' } }] },
    { webSearch: ['tools[0]', 10] },
  ],
  ['responses', { service_tier: 'priority' }, { priorityTier: ['service_tier', 1] }],
  ['responses', tool('web_search'), { webSearch: ['tools[0]', 10] }],
  ['responses', tool('web_search_preview_2025_03_11'), { webSearch: ['tools[0]', 10] }],
  ['responses', { ...tool('web_search'), max_tool_calls: 3 }, { webSearch: ['tools[0]', 3] }],
  ['responses', tool('file_search'), { fileSearch: ['tools[0]', 10] }],
  ['responses', tool('code_interpreter'), { codeExecution: ['tools[0]', 10] }],
  ['responses', tool('image_generation'), { imageGeneration: ['tools[0]', 2] }],
  ['responses', tool('mcp'), { mcp: ['tools[0]', 10] }],
  ['responses', tool('brand_new'), { otherTool: ['tools[0]', 10] }],
  [
    'responses',
    { tools: [{ type: 'shell', environment: { type: 'container_auto' } }] },
    { codeExecution: ['tools[0]', 10] },
  ],
  [
    'responses',
    { input: [{ type: 'additional_tools', role: 'developer', ...tool('web_search') }] },
    { webSearch: ['input[0].tools[0]', 10] },
  ],
  [
    'responses',
    { tools: [{ type: 'namespace', name: 'n', ...tool('web_search') }] },
    { webSearch: ['tools[0].tools[0]', 10] },
  ],
  ['messages', { speed: 'fast' }, { fastMode: ['speed', 1] }],
  ['messages', { inference_geo: 'us' }, { regionalInference: ['inference_geo', 1] }],
  ['messages', tool('web_search_20250305'), { webSearch: ['tools[0]', 10] }],
  [
    'messages',
    { tools: [{ type: 'web_search_20250305', name: 'web_search', max_uses: 5 }] },
    { webSearch: ['tools[0]', 5] },
  ],
  ['messages', tool('web_fetch_20250910'), { webFetch: ['tools[0]', 10] }],
  ['messages', tool('code_execution_20250825'), { codeExecution: ['tools[0]', 1] }],
  ['messages', { mcp_servers: [{ url: 'https://x.test' }] }, { mcp: ['mcp_servers', 10] }],
  ['messages', tool('advisor_20260301'), { otherTool: ['tools[0]', 10] }],
  [
    'messages',
    { container: { skills: [{ type: 'anthropic', skill_id: 'pptx' }] } },
    { codeExecution: ['container', 1] },
  ],
  ['generate-content', { serviceTier: 'priority' }, { priorityTier: ['serviceTier', 1] }],
  ['generate-content', { service_tier: 'SERVICE_TIER_FLEX' }, { flexTier: ['serviceTier', 1] }],
  [
    'generate-content',
    { tools: [{ googleSearch: {} }] },
    { webSearch: ['tools[0].googleSearch', 10] },
  ],
  [
    'generate-content',
    { tools: { google_search: {} } },
    { webSearch: ['tools[0].google_search', 10] },
  ],
  ['generate-content', { tools: [{ urlContext: {} }] }, { webFetch: ['tools[0].urlContext', 20] }],
  ['generate-content', { tools: [{ googleMaps: {} }] }, { mapsSearch: ['tools[0].googleMaps', 1] }],
  [
    'generate-content',
    { tools: [{ codeExecution: {} }] },
    { codeExecution: ['tools[0].codeExecution', 1] },
  ],
  ['generate-content', { tools: [{ brandNew: {} }] }, { otherTool: ['tools[0].brandNew', 10] }],
  [
    'generate-content',
    { generationConfig: { responseModalities: ['AUDIO'] } },
    { audioOutput: ['generationConfig.responseModalities', 1] },
  ],
  [
    'generate-content',
    { contents: [{ parts: [{ inline_data: { mime_type: 'audio/wav', data: 'AA' } }] }] },
    { audioInput: ['contents[0].parts[0].inline_data', 1] },
  ],
]

describe('the requested features', () => {
  test.each(rows)('%s %j', (protocol, extra, expected) => {
    const found = factsOf(protocol, extra).features ?? []
    expect(
      Object.fromEntries(found.map(({ feature, param, most }) => [feature, [param, most]])),
    ).toEqual(expected)
  })

  const plain: readonly (readonly [ProtocolName, JsonObject])[] = [
    ['chat-completions', { service_tier: 'auto', web_search_options: null, modalities: ['text'] }],
    ['chat-completions', { service_tier: 'default', enable_search: false, plugins: [] }],
    ['chat-completions', { tools: [{ type: 'function', function: { name: 'web_search' } }] }],
    ['chat-completions', { tools: [{ function: { name: 'f' } }], service_tier: null }],
    [
      'responses',
      { service_tier: 'auto', ...tool('function', 'custom', 'tool_search', 'local_shell') },
    ],
    ['responses', tool('shell', 'apply_patch', 'computer_use_preview', 'computer')],
    ['messages', { service_tier: 'auto', speed: 'standard', inference_geo: 'global' }],
    ['messages', { tools: [{ name: 'web_search', input_schema: { type: 'object' } }] }],
    [
      'messages',
      tool('bash_20250124', 'text_editor_20250728', 'memory_20250818', 'computer_20250124'),
    ],
    ['messages', tool('custom', 'tool_search_tool_regex_20251119')],
    ['generate-content', { tools: [{ functionDeclarations: [] }, { computerUse: {} }] }],
    ['generate-content', { tools: [{ function_declarations: [], googleSearch: null }] }],
  ]

  test.each(plain)('%s %j: none', (protocol, extra) => {
    expect(factsOf(protocol, extra).features).toBeUndefined()
  })
})

test('a background response is refused where the body is read', () => {
  const refused = () => factsOf('responses', { background: true })
  expect(refused).toThrow('background')
  expect(factsOf('responses', { background: false }).model).toBe('m')
  expect(factsOf('responses', { background: null }).model).toBe('m')
})
