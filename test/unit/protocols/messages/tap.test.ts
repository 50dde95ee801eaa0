import { describe, expect, test } from 'bun:test'
import { messages } from '../../../../src/protocols/messages/index.ts'
import type { FrameVerdict } from '../../../../src/protocols/protocol.ts'
import { SseFramer } from '../../../../src/wire/sse-framer.ts'
import { sse } from './helpers.ts'

const facts = {
  model: 'm',
  isStream: true,
  outputTokensMax: 10,
  answers: 1,
  wantsStreamUsage: true,
  framing: 'sse',
} as const

function tap(text: string) {
  const opened = messages.passThrough.openTap(facts, {})
  const frames = new SseFramer(1_000_000).push(new TextEncoder().encode(text))
  const verdicts: FrameVerdict[] = frames.map((frame) => opened.read(frame))
  return { verdicts, reading: opened.reading(), end: opened.end() }
}

const start = sse({
  type: 'message_start',
  message: {
    usage: {
      input_tokens: 20,
      cache_read_input_tokens: 7,
      cache_creation_input_tokens: 5,
      cache_creation: { ephemeral_5m_input_tokens: 2, ephemeral_1h_input_tokens: 3 },
      output_tokens: 1,
    },
  },
})
const text = (words: string) =>
  sse({ type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: words } })

describe('messages: the tap', () => {
  test('every byte is forwarded, padded or not, and the end is detected', () => {
    const stream = `${start}event: content_block_delta\ndata: {"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"Hi"}     }\n\nevent: ping\ndata: {"type": "ping"}\n\nevent: message_stop\ndata: {"type":"message_stop"        }\n\n`
    const { verdicts, end } = tap(stream)
    const bytes = verdicts.map((verdict) => new TextDecoder().decode(verdict.bytes))
    expect(bytes.join('')).toBe(stream)
    expect(verdicts.map((verdict) => verdict.isTerminator)).toEqual([false, false, false, true])
    expect(verdicts.map((verdict) => verdict.isContent)).toEqual([false, true, false, false])
    expect(end).toBeUndefined()
  })

  test('the last report replaces the first, field by field, and is not added to it', () => {
    const { reading } = tap(
      start +
        sse({ type: 'message_delta', delta: {}, usage: { output_tokens: 30, input_tokens: null } }),
    )
    expect(reading.isUsageProvisional).toBeUndefined()
    expect(reading.usage).toEqual({
      input: 20,
      cacheRead: 7,
      cacheWrite5m: 2,
      cacheWrite1h: 3,
      output: 30,
      reasoning: 0,
    })
  })

  test('tokens that a server tool has read are reported at the end', () => {
    const usage = {
      input_tokens: 500,
      cache_creation_input_tokens: 9,
      output_tokens: 30,
      output_tokens_details: { thinking_tokens: 12 },
    }
    const { reading } = tap(start + sse({ type: 'message_delta', delta: {}, usage }))
    expect(reading.usage).toEqual({
      input: 500,
      cacheRead: 7,
      cacheWrite5m: 6,
      cacheWrite1h: 3,
      output: 30,
      reasoning: 12,
    })
  })

  test('the single output token at the start is not the usage of a truncated stream', () => {
    const { reading, end } = tap(start + text('Many words were delivered before the cut came.'))
    expect(reading.usage?.input).toBe(20)
    expect(reading.deliveredTokens()).toBeGreaterThan(5)
    expect(reading).toMatchObject({ isUsageProvisional: true, isUsageInterim: true })
    expect(end).toBeUndefined()
  })

  test('no usage is reported for a stream without usage', () => {
    expect(tap(text('Hi')).reading.usage).toBeUndefined()
  })

  const failures: [name: string, stream: string, status: number][] = [
    ['first', sse({ type: 'error', error: { type: 'overloaded_error', message: 'm' } }), 529],
    ['without an event line', 'data: {"type":"error","error":{"type":"api_error"}}\n\n', 502],
    ['without a type', 'data: {"error":{"type":"rate_limit_error"}}\n\n', 429],
    ['that is not JSON', 'event: error\ndata: Overloaded\n\n', 502],
  ]
  test.each(failures)('an error %s', (_, stream, status) => {
    const { verdicts } = tap(stream)
    expect(verdicts[0]?.fault?.status).toBe(status)
    expect(verdicts[0]?.isTerminator).toBe(false)
  })

  test.each([
    ': comment\n\n',
    'data: not json\n\n',
    'data: 7\n\n',
    'event: new_event\ndata: {"type":"new_event"}\n\n',
    'event: content_block_delta\ndata: {"type":"content_block_delta","delta":null}\n\n',
  ])('%j is forwarded and has no effect', (stream) => {
    const [verdict] = tap(stream).verdicts
    expect(verdict).toMatchObject({ isTerminator: false, fault: undefined, isContent: false })
    expect(new TextDecoder().decode(verdict?.bytes)).toBe(stream)
  })

  test('a whole reply is read', () => {
    const reading = messages.passThrough.readReply(
      {
        content: [
          { type: 'thinking', thinking: 'Let me think about that.', signature: 'x' },
          { type: 'tool_use', name: 'get_weather', input: { city: 'Rome' } },
        ],
        usage: { input_tokens: 1, output_tokens: 2 },
      },
      {},
    )
    expect(reading.usage).toMatchObject({ input: 1, output: 2 })
    expect(reading.deliveredTokens()).toBeGreaterThan(5)
    expect(messages.passThrough.readReply(undefined, {}).usage).toBeUndefined()
  })
})
