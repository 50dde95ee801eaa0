import { describe, expect, test } from 'bun:test'
import { Fault } from '../../../../src/core/fault.ts'
import { ask, decodeRequest, factsOf } from './helpers.ts'

type Row = [param: string, request: object]

/** Requests that no upstream would accept are refused before one gets a request. */
const refusedAtOnce: Row[] = [
  ['model', { messages: [{ role: 'user', content: 'a' }] }],
  ['model', ask({ model: '' })],
  ['model', ask({ model: 7 })],
  ['messages', { model: 'm' }],
  ['messages', ask({ messages: [] })],
  ['messages', ask({ messages: 'hi' })],
  ['messages[0]', ask({ messages: ['hi'] })],
  ['messages[1].role', ask({ messages: [{ role: 'user' }, { content: 'a' }] })],
  ['n', ask({ n: 0 })],
  ['n', ask({ n: 129 })],
  ['n', ask({ n: 1.5 })],
  ['stream', ask({ stream: 'yes' })],
  ['stream_options', ask({ stream_options: true })],
  ['max_tokens', ask({ max_tokens: '5' })],
  ['max_completion_tokens', ask({ max_completion_tokens: -1 })],
  ['temperature', ask({ temperature: 'hot' })],
  ['tools', ask({ tools: {} })],
  ['functions', ask({ functions: 'f' })],
  ['response_format', ask({ response_format: 'json' })],
]

/** Fields that only a translation must understand. */
const refusedInTranslation: Row[] = [
  ['messages[0].role', ask({ messages: [{ role: 'robot', content: 'a' }] })],
  ['messages[0].content', ask({ messages: [{ role: 'user', content: 7 }] })],
  ['messages[0].content[1]', ask({ messages: [{ role: 'user', content: ['a', 7] }] })],
  [
    'messages[0].content[0].type',
    ask({ messages: [{ role: 'user', content: [{ type: 'hologram' }] }] }),
  ],
  [
    'messages[0].content[0].text',
    ask({ messages: [{ role: 'user', content: [{ type: 'text' }] }] }),
  ],
  [
    'messages[0].content[0].image_url',
    ask({ messages: [{ role: 'user', content: [{ type: 'image_url' }] }] }),
  ],
  [
    'messages[0].content[0].image_url.url',
    ask({ messages: [{ role: 'user', content: [{ type: 'image_url', image_url: {} }] }] }),
  ],
  [
    'messages[0].content[0].file',
    ask({ messages: [{ role: 'user', content: [{ type: 'file', file: {} }] }] }),
  ],
  [
    'messages[0].content[0].input_audio',
    ask({ messages: [{ role: 'user', content: [{ type: 'input_audio' }] }] }),
  ],
  [
    'messages[0].content',
    ask({
      messages: [{ role: 'system', content: [{ type: 'image_url', image_url: 'https://x' }] }],
    }),
  ],
  ['messages[0].tool_call_id', ask({ messages: [{ role: 'tool', content: 'a' }] })],
  ['messages[0].name', ask({ messages: [{ role: 'function', content: 'a' }] })],
  ['messages[0].tool_calls', ask({ messages: [{ role: 'assistant', tool_calls: 'f' }] })],
  [
    'messages[0].tool_calls[0].id',
    ask({ messages: [{ role: 'assistant', tool_calls: [{ function: { name: 'f' } }] }] }),
  ],
  [
    'messages[0].tool_calls[0].function',
    ask({ messages: [{ role: 'assistant', tool_calls: [{ id: 'a' }] }] }),
  ],
  [
    'messages[0].tool_calls[0].function.arguments',
    ask({
      messages: [
        { role: 'assistant', tool_calls: [{ id: 'a', function: { name: 'f', arguments: 7 } }] },
      ],
    }),
  ],
  ['tools[0]', ask({ tools: ['f'] })],
  ['tools[0].function', ask({ tools: [{ type: 'function' }] })],
  ['tools[0].function.name', ask({ tools: [{ type: 'function', function: {} }] })],
  [
    'tools[0].function.parameters',
    ask({ tools: [{ type: 'function', function: { name: 'f', parameters: 'x' } }] }),
  ],
  ['tool_choice', ask({ tool_choice: 'sometimes' })],
  ['tool_choice', ask({ tool_choice: {} })],
  ['stop', ask({ stop: [1] })],
  ['reasoning_effort', ask({ reasoning_effort: 'huge' })],
  ['response_format.type', ask({ response_format: { type: 'xml' } })],
  ['response_format.json_schema', ask({ response_format: { type: 'json_schema' } })],
  [
    'response_format.json_schema.schema',
    ask({ response_format: { type: 'json_schema', json_schema: {} } }),
  ],
]

function paramOf(attempt: () => unknown): string | undefined {
  try {
    attempt()
  } catch (error) {
    if (!(error instanceof Fault)) throw error
    expect(error.status).toBe(400)
    expect(error.code).toBe('invalid_request')
    return error.details.param
  }
  return 'taken'
}

describe('bad chat requests', () => {
  test.each(refusedAtOnce)('%s is named, row %#', (param, request) => {
    expect(paramOf(() => factsOf(request))).toBe(param)
  })

  test.each(refusedInTranslation)('%s is named, row %#', (param, request) => {
    expect(paramOf(() => factsOf(request))).toBe('taken')
    expect(paramOf(() => decodeRequest(request))).toBe(param)
  })
})

describe('facts of a chat request', () => {
  test('the minimal request', () => {
    expect(factsOf(ask({}))).toEqual({
      model: 'm',
      isStream: false,
      outputTokensMax: undefined,
      answers: 1,
      wantsStreamUsage: false,
      framing: 'sse',
    })
  })

  test('the requested features, and nulls that request nothing', () => {
    const asked = { stream: true, stream_options: { include_usage: true }, n: 2, max_tokens: 7 }
    expect(factsOf(ask(asked))).toMatchObject({
      isStream: true,
      wantsStreamUsage: true,
      answers: 2,
      outputTokensMax: 7,
    })
    const nothing = { stream: null, stream_options: null, n: null, max_tokens: null, tools: null }
    expect(factsOf(ask(nothing))).toEqual(factsOf(ask({})))
  })
})
