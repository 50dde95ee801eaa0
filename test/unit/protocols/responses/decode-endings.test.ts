import { describe, expect, test } from 'bun:test'
import type { ReplyEvent } from '../../../../src/core/neutral/reply-event.ts'
import type { JsonObject } from '../../../../src/wire/json.ts'
import { decodeStream, decodeWhole, opening, saying, streamOf } from './helpers.ts'
import {
  begun,
  call,
  completed,
  created,
  done,
  ended,
  message,
  plain,
  text,
  words,
} from './wire-events.ts'

describe('the end of a responses stream', () => {
  test('usage comes before the end', () => {
    const usage = { input_tokens: 3, output_tokens: 4, total_tokens: 7 }
    const events = decodeStream(streamOf(created, { ...completed, response: { ...plain, usage } }))
    expect(events.slice(1)).toEqual([
      {
        type: 'usage',
        usage: {
          input: 3,
          cacheRead: 0,
          cacheWrite5m: 0,
          cacheWrite1h: 0,
          output: 4,
          reasoning: 0,
        },
      },
      ended('stop'),
    ])
  })

  test('a stream without its last event has no end', () => {
    const events = decodeStream(streamOf(created, words(0, 'Hel'), '[DONE]'))
    expect(events).toEqual([begun, text, saying('Hel')])
  })

  const failures: [string, JsonObject[], number][] = [
    ['nested', [{ type: 'error', error: { code: 'rate_limit_exceeded', message: 'm' } }], 429],
    ['flat', [{ type: 'error', code: 'server_error', message: 'm' }], 502],
    [
      'as a failed response',
      [
        {
          type: 'response.failed',
          response: { ...plain, error: { code: 'server_error', message: 'm' } },
        },
      ],
      502,
    ],
    [
      'as both, reported once',
      [
        { type: 'error', error: { code: 'server_error', message: 'm' } },
        { type: 'response.failed', response: { ...plain, error: { code: 'x', message: 'n' } } },
      ],
      502,
    ],
  ]
  test.each(failures)('a failure, %s', (_, events, status) => {
    const decoded = decodeStream(streamOf(created, words(0, 'Hel'), ...events))
    const faults = decoded.filter((event) => event.type === 'fault')
    expect(faults).toHaveLength(1)
    expect(decoded.at(-1)).toBe(faults[0] as ReplyEvent)
    expect(faults[0]?.fault.status).toBe(status)
    expect(faults[0]?.fault.message).toBe('m')
    expect(decoded.some((event) => event.type === 'reply-end')).toBe(false)
  })

  test('an error without a type, as chat-completions sends it', () => {
    const [fault] = decodeStream('data: {"error":{"code":429,"message":"slow"}}\n\n')
    expect(fault).toMatchObject({ type: 'fault', fault: { status: 429, message: 'slow' } })
  })
})

describe('a whole responses reply', () => {
  test('the same events as the stream of it', () => {
    const output = [
      {
        type: 'reasoning',
        summary: [{ type: 'summary_text', text: 'why' }],
        encrypted_content: 'gAAAA',
      },
      message('so'),
      call('c', '{"a":1}'),
    ]
    const usage = { input_tokens: 3, output_tokens: 4, total_tokens: 7 }
    const response = { ...plain, output, usage }
    const events = decodeWhole(response)
    expect(events).toEqual(
      decodeStream(
        streamOf(created, ...output.map((item, index) => done(index, item)), {
          type: 'response.completed',
          response,
        }),
      ),
    )
    expect(events.at(-1)).toEqual(ended('tool-calls'))
  })

  test('numbers of a tool that the vendor executed keep their spelling', () => {
    const decoded = decodeStream(
      'data: {"type":"response.completed","response":{"output":[{"type":"mcp_call","n":1.0}]}}\n\n',
    )
    expect(decoded[1]).toEqual(
      opening({ type: 'hosted', protocol: 'responses', json: '{"type":"mcp_call","n":1.0}' }),
    )
  })

  const bad: [string, unknown, number, string][] = [
    [
      'a reply that is not an object',
      [],
      502,
      'The upstream sent a response that cannot be read. Try again.',
    ],
    [
      'a reply of another protocol',
      { choices: [] },
      502,
      'The upstream sent a response that cannot be read. Try again.',
    ],
    ['an error', { error: { code: 'invalid_prompt', message: 'm' } }, 400, 'm'],
    [
      'failed',
      { ...plain, status: 'failed', error: { code: 'server_error', message: 'm' } },
      502,
      'm',
    ],
    [
      'an unfinished response',
      { ...plain, status: 'queued' },
      502,
      'The upstream sent a response that cannot be read. Try again.',
    ],
  ]
  test.each(bad)('%s: a fault at the end', (_, value, status, text) => {
    const last = decodeWhole(value).at(-1)
    expect(last).toMatchObject({ type: 'fault', fault: { status, message: text } })
  })
})
