import { describe, expect, test } from 'bun:test'
import { foldReply } from '../../../../src/core/neutral/fold-reply.ts'
import type { ReplyEvent } from '../../../../src/core/neutral/reply-event.ts'
import { finish, fn } from './chunks.ts'
import {
  ask,
  decodeChunks,
  decodeRequest,
  decodeText,
  deltas,
  translation,
  upstream,
} from './helpers.ts'

describe('failures of an upstream that answered 200', () => {
  const failures: [name: string, data: string, status: number][] = [
    ['a status as a number', '{"error":{"message":"m","code":529}}', 529],
    ['a rate limit', '{"error":{"message":"m","type":"tokens","code":"rate_limit_exceeded"}}', 429],
    [
      'overload',
      '{"error":{"message":"m","type":"server_error","code":"server_is_overloaded"}}',
      503,
    ],
    ['a bad request', '{"error":{"message":"m","type":"invalid_request_error","code":null}}', 400],
    ['any other error', '{"error":{"message":"m","type":"server_error"}}', 502],
    ['a string', '{"error":"m"}', 502],
  ]

  test.each(failures)('a failure after 200: %s', (_, data, status) => {
    const events = decodeText(
      `data: {"choices":[{"delta":{"content":"a"}}]}\n\ndata: ${data}\n\ndata: [DONE]\n\n`,
    )
    expect(events.at(-1)).toMatchObject({ type: 'fault', fault: { message: 'm', status } })
    expect(events.map(({ type }) => type)).not.toContain('reply-end')
  })
})

describe('a whole chat reply in neutral events', () => {
  const whole = (message: unknown, more: object = {}) =>
    JSON.stringify({
      id: 'c1',
      model: 'm1',
      choices: [{ index: 0, message, finish_reason: 'stop', ...more }],
    })
  const decode = (text: string): ReplyEvent[] => translation.decodeReply(text, upstream())

  test('gives the same events as the equivalent stream', () => {
    const message = {
      role: 'assistant',
      content: 'a',
      reasoning_content: 'hm',
      tool_calls: [{ id: 'x', type: 'function', ...fn('f', '{"a":1.0}') }],
    }
    expect(decode(whole(message))).toEqual(decodeChunks([...deltas(message), finish('stop')]))
  })

  test('arguments that are an object keep their spelling', () => {
    const text = whole({ tool_calls: [{ id: 'x', function: { name: 'f', arguments: '@' } }] })
    const events = decode(text.replace('"@"', '{"n":1.0,"2":12345678901234567890,"1":0}'))
    expect(events[2]).toMatchObject({ text: '{"n":1.0,"2":12345678901234567890,"1":0}' })
  })

  test('a filtered answer has no message', () => {
    const text = '{"choices":[{"index":0,"finish_reason":"content_filter"}]}'
    expect(decode(text).at(-1)).toMatchObject({ finishes: [{ reason: 'content-filter' }] })
  })

  test.each([
    [
      'an error with status 200',
      '{"error":{"message":"m","code":"content_filter","status":400}}',
      400,
    ],
    ['a body that is not JSON', '<html>', 502],
    ['another object', '{"object":"list"}', 502],
    ['an empty body', '', 502],
  ])('not a reply: %s', (_, text, status) => {
    expect(decode(text)).toMatchObject([{ type: 'fault', fault: { status } }])
  })
})

test('a call with an empty custom tool beside its function is the function, in a reply and in the history', () => {
  const call = {
    id: 'x',
    type: 'function',
    custom: { name: '', input: '' },
    function: { name: 'f', arguments: '{"a":1}' },
  }
  const choice = { index: 0, message: { content: null, tool_calls: [call] }, finish_reason: 'stop' }
  const reply = foldReply(
    translation.decodeReply(JSON.stringify({ choices: [choice] }), upstream()),
  )
  const expected = { type: 'tool-call', id: 'x', name: 'f', form: 'function' }
  expect(reply.answers[0]?.parts[0]?.part).toMatchObject({ ...expected, argumentsText: '{"a":1}' })
  const { turns } = decodeRequest(
    ask({ messages: [{ role: 'assistant', content: null, tool_calls: [call] }] }),
  )
  expect(turns[0]?.parts[0]).toMatchObject({ ...expected, argumentsText: '{"a":1}' })
})
