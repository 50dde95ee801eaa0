import { describe, expect, test } from 'bun:test'
import type { ReplyEvent } from '../../../../src/core/neutral/reply-event.ts'
import type { JsonObject } from '../../../../src/wire/json.ts'
import { encodeStream, readStream } from './helpers.ts'
import { add, begin, call, done, end, head, usage, whole } from './reply-events.ts'

describe('messages: the end of a reply to a client', () => {
  const text = [head({ type: 'text' }), add('a'), done]
  const calls = [head(call('c')), add('{}'), done]
  const refusal = [head({ type: 'refusal' }), add('No.'), done]
  const none = { stop_sequence: null, stop_details: null }
  const finishes: [name: string, parts: ReplyEvent[], last: ReplyEvent, expected: JsonObject][] = [
    ['a natural end', text, end('stop'), { ...none, stop_reason: 'end_turn' }],
    ['the output limit', text, end('length'), { ...none, stop_reason: 'max_tokens' }],
    [
      'the output limit takes precedence over a call',
      calls,
      end('length'),
      { ...none, stop_reason: 'max_tokens' },
    ],
    [
      'the context window',
      text,
      end('length', { raw: 'model_context_window_exceeded' }),
      { ...none, stop_reason: 'model_context_window_exceeded' },
    ],
    ['a call', calls, end('tool-calls'), { ...none, stop_reason: 'tool_use' }],
    [
      'a call with the finish reason stop',
      calls,
      end('stop'),
      { ...none, stop_reason: 'tool_use' },
    ],
    [
      'the finish reason tool-calls without a call',
      text,
      end('tool-calls'),
      { ...none, stop_reason: 'end_turn' },
    ],
    [
      'a stop sequence',
      text,
      end('stop-sequence', { stopSequence: 'END' }),
      { ...none, stop_reason: 'stop_sequence', stop_sequence: 'END' },
    ],
    ['an unknown stop sequence', text, end('stop-sequence'), { ...none, stop_reason: 'end_turn' }],
    ['a paused turn', text, end('pause'), { ...none, stop_reason: 'pause_turn' }],
    [
      'a content filter',
      [],
      end('content-filter', { explanation: 'Why.' }),
      {
        stop_reason: 'refusal',
        stop_sequence: null,
        stop_details: { type: 'refusal', category: null, explanation: 'Why.' },
      },
    ],
    [
      'a refusal with text',
      refusal,
      end('stop'),
      {
        stop_reason: 'refusal',
        stop_sequence: null,
        stop_details: { type: 'refusal', category: null, explanation: 'No.' },
      },
    ],
    ['a malformed call', [], end('malformed-call'), { ...none, stop_reason: 'end_turn' }],
    ['another finish reason', text, end('other'), { ...none, stop_reason: 'end_turn' }],
  ]
  test.each(finishes)('the end: %s', (_, parts, last, expected) => {
    const events = [begin, ...parts, usage, last]
    const streamed = readStream(encodeStream(events)).at(-2)
    expect(streamed?.['delta']).toEqual(expected)
    expect(whole(events)).toMatchObject(expected)
  })
})
