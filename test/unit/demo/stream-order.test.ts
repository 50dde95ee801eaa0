import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { readSse } from './read-sse.ts'
import { speakChatCompletions } from './speak-chat-completions.ts'
import { speakGenerateContent } from './speak-generate-content.ts'
import { speakMessages } from './speak-messages.ts'
import { speakResponses } from './speak-responses.ts'
import { dig } from './spoken-protocol.ts'
import { type StartedDemo, startDemo } from './start-demo.ts'

const thoughtfulText = { prompt: 'Good morning', reasons: true }
const twoCalls = { prompt: 'get_weather and get_time in Rome', offersTools: true }

const messageLadder = [
  'output_item.added',
  'content_part.added',
  'output_text.delta',
  'output_text.done',
  'content_part.done',
  'output_item.done',
]
const callLadder = [
  'output_item.added',
  'function_call_arguments.delta',
  'function_call_arguments.done',
  'output_item.done',
]
const reasoningLadder = [
  'output_item.added',
  'reasoning_summary_part.added',
  'reasoning_summary_text.delta',
  'reasoning_summary_text.done',
  'reasoning_summary_part.done',
  'output_item.done',
]

const orders = [
  {
    protocol: speakChatCompletions,
    ask: thoughtfulText,
    outline: ['role', 'reasoning', 'text', 'finish', 'usage', 'done'],
  },
  {
    protocol: speakChatCompletions,
    ask: twoCalls,
    outline: ['role', 'call 0', 'call 1', 'finish', 'usage', 'done'],
  },
  {
    protocol: speakResponses,
    ask: thoughtfulText,
    outline: ['created', 'in_progress', ...reasoningLadder, ...messageLadder, 'completed'],
  },
  {
    protocol: speakResponses,
    ask: twoCalls,
    outline: ['created', 'in_progress', ...callLadder, ...callLadder, 'completed'],
  },
  {
    protocol: speakResponses,
    ask: { prompt: 'Good morning', outputTokensMax: 3 },
    outline: ['created', 'in_progress', ...messageLadder, 'incomplete'],
  },
  {
    protocol: speakMessages,
    ask: thoughtfulText,
    outline: [
      'message_start',
      'content_block_start 0 thinking',
      'ping',
      'content_block_delta 0 thinking_delta',
      'content_block_delta 0 signature_delta',
      'content_block_stop 0',
      'content_block_start 1 text',
      'content_block_delta 1 text_delta',
      'content_block_stop 1',
      'message_delta',
      'message_stop',
    ],
  },
  {
    protocol: speakMessages,
    ask: twoCalls,
    outline: [
      'message_start',
      'content_block_start 0 tool_use',
      'ping',
      'content_block_delta 0 input_json_delta',
      'content_block_stop 0',
      'content_block_start 1 tool_use',
      'content_block_delta 1 input_json_delta',
      'content_block_stop 1',
      'message_delta',
      'message_stop',
    ],
  },
  {
    protocol: speakGenerateContent,
    ask: thoughtfulText,
    outline: ['thought', 'text', 'finish'],
  },
  {
    protocol: speakGenerateContent,
    ask: twoCalls,
    outline: ['call get_weather', 'call get_time', 'finish'],
  },
] as const

let demo: StartedDemo
beforeAll(() => {
  demo = startDemo()
})
afterAll(() => demo.stop())

describe('events have the order of their protocol', () => {
  test.each(orders)('$protocol.name, $ask.prompt', async ({ protocol, ask, outline }) => {
    const response = await demo.post(protocol.streamPath, protocol.ask(ask, true))
    expect(protocol.outline(await readSse(response))).toEqual([...outline])
  })
})

describe('other rules of the streams', () => {
  test('chat-completions: one id in all chunks, and no usage unless requested', async () => {
    const body = { model: 'm', stream: true, messages: [{ role: 'user', content: 'Good morning' }] }
    const events = await readSse(await demo.post('/v1/chat/completions', body))
    const chunks = events.slice(0, -1).map(({ data }) => data)
    expect(new Set(chunks.map((chunk) => dig(chunk, 'id'))).size).toBe(1)
    expect(chunks.filter((chunk) => dig(chunk, 'usage') !== undefined)).toEqual([])
  })

  test('responses: numbered without gaps, names in both places, two different ids for a call', async () => {
    const body = speakResponses.ask(twoCalls, true)
    const events = await readSse(await demo.post('/v1/responses', body))
    expect(events.map(({ data }) => dig(data, 'sequence_number'))).toEqual([...events.keys()])
    expect(events.map(({ data }) => dig(data, 'type'))).toEqual(events.map(({ event }) => event))
    const [first, second] = [0, 1].map((at) => dig(events.at(-1)?.data, 'response', 'output', at))
    const ids = [first, second].flatMap((item) => [dig(item, 'id'), dig(item, 'call_id')])
    expect(new Set(ids).size).toBe(4)
  })

  test('generate-content: without alt=sse the stream is one JSON array of the same responses', async () => {
    const path = '/v1beta/models/any-model:streamGenerateContent'
    const body = speakGenerateContent.ask(thoughtfulText, true)
    const array = await demo.post(path, body)
    expect(array.headers.get('content-type')).toStartWith('application/json')
    const events = await readSse(await demo.post(`${path}?alt=sse`, body))
    expect(await array.json()).toEqual(events.map(({ data }) => data))
  })
})
