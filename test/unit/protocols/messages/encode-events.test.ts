import { describe, expect, test } from 'bun:test'
import { Fault } from '../../../../src/core/fault.ts'
import type { PartHead, ReplyEvent } from '../../../../src/core/neutral/reply-event.ts'
import { openSealed, sealOpaque } from '../../../../src/protocols/fit/seal-opaque.ts'
import { messages } from '../../../../src/protocols/messages/index.ts'
import { type JsonObject, parseJson } from '../../../../src/wire/json.ts'
import { encodeStream, plainRequest, readStream, replyContext } from './helpers.ts'
import {
  add,
  begin,
  call,
  contentOf,
  done,
  end,
  head,
  sealed,
  signed,
  unsigned,
  usage,
  whole,
} from './reply-events.ts'

const caller = { type: 'direct' }

type Row = [name: string, events: ReplyEvent[], content: JsonObject[]]

const rows: Row[] = [
  ['an empty reply', [], []],
  ['empty deltas open no block', [head({ type: 'text' }), add(''), done], []],
  ['empty reasoning opens no block', [head({ type: 'reasoning' }), add(''), done], []],
  [
    'text',
    [head({ type: 'text' }), add('Hel'), add(''), add('lo\n'), done],
    [{ type: 'text', text: 'Hello\n' }],
  ],
  [
    'text, reasoning and text again: the first text of each block is kept',
    [
      head({ type: 'text' }),
      add('a'),
      done,
      head({ type: 'reasoning' }),
      add('b'),
      { ...done, opaque: signed },
      head({ type: 'text' }),
      add('c'),
      done,
    ],
    [
      { type: 'text', text: 'a' },
      { type: 'thinking', thinking: 'b', signature: sealOpaque(signed) },
      { type: 'text', text: 'c' },
    ],
  ],
  [
    'unsigned reasoning gets a signature of the gateway',
    [head({ type: 'reasoning' }), add('hm'), done],
    [{ type: 'thinking', thinking: 'hm', signature: unsigned }],
  ],
  [
    'a reasoning summary with its encrypted original',
    [head({ type: 'reasoning' }), add('sum'), { ...done, opaque: sealed }],
    [{ type: 'thinking', thinking: 'sum', signature: sealOpaque(sealed) }],
  ],
  [
    'encrypted reasoning alone',
    [head({ type: 'reasoning' }), { ...done, opaque: sealed }],
    [{ type: 'redacted_thinking', data: sealOpaque(sealed) }],
  ],
  [
    'a signature alone',
    [head({ type: 'reasoning' }), { ...done, opaque: signed }],
    [{ type: 'thinking', thinking: '', signature: sealOpaque(signed) }],
  ],
  [
    'parallel calls, the first of them signed',
    [
      head({ ...call('call_1'), opaque: signed } as PartHead),
      add('{"a":'),
      add('1}'),
      { ...done, opaque: signed },
      head(call('call_2')),
      add('{}'),
      done,
    ],
    [
      { type: 'thinking', thinking: '', signature: sealOpaque(signed) },
      { type: 'tool_use', id: 'call_1', name: 'f', input: { a: 1 }, caller },
      { type: 'tool_use', id: 'call_2', name: 'f', input: {}, caller },
    ],
  ],
  [
    'reasoning and the call with its signature: one block, not two in a row',
    [
      head({ type: 'reasoning' }),
      add('hm'),
      done,
      head({ type: 'text' }),
      done,
      head({ ...call('call_1'), opaque: signed } as PartHead),
      add('{}'),
      { ...done, opaque: signed },
    ],
    [
      { type: 'thinking', thinking: 'hm', signature: sealOpaque(signed) },
      { type: 'tool_use', id: 'call_1', name: 'f', input: {}, caller },
    ],
  ],
  [
    'reasoning and its signature as separate parts',
    [
      head({ type: 'reasoning' }),
      add('hm'),
      done,
      head({ type: 'reasoning' }),
      { ...done, opaque: signed },
      head({ type: 'text' }),
      add('a'),
      done,
    ],
    [
      { type: 'thinking', thinking: 'hm', signature: sealOpaque(signed) },
      { type: 'text', text: 'a' },
    ],
  ],
  [
    'unsigned reasoning before other reasoning, encrypted and as text',
    [
      head({ type: 'reasoning' }),
      add('a'),
      done,
      head({ type: 'reasoning' }),
      { ...done, opaque: sealed },
      head({ type: 'reasoning' }),
      add('b'),
      done,
    ],
    [
      { type: 'thinking', thinking: 'a', signature: unsigned },
      { type: 'redacted_thinking', data: sealOpaque(sealed) },
      { type: 'thinking', thinking: 'b', signature: unsigned },
    ],
  ],
  [
    'a call without arguments',
    [head(call('call_1')), done],
    [{ type: 'tool_use', id: 'call_1', name: 'f', input: {}, caller }],
  ],
  [
    'an id that the protocol does not allow',
    [head(call('functions.f:0')), done, head(call('')), done],
    [
      { type: 'tool_use', id: 'functions_f_0', name: 'f', input: {}, caller },
      { type: 'tool_use', id: expect.stringMatching(/^toolu_/), name: 'f', input: {}, caller },
    ],
  ],
  [
    'a custom tool',
    [
      head({ type: 'tool-call', id: 'c', name: 'patch', form: 'custom' }),
      add('say "hi"\n\ud83d'),
      add('\ude00'),
      done,
    ],
    [{ type: 'tool_use', id: 'c', name: 'patch', input: { input: 'say "hi"\n😀' }, caller }],
  ],
  [
    'links',
    [
      head({ type: 'text' }),
      add('a'),
      {
        ...done,
        annotations: [
          { url: 'https://x', title: undefined, start: 0, end: 1, citedText: undefined },
        ],
      },
    ],
    [
      {
        type: 'text',
        text: 'a',
        citations: [
          {
            type: 'web_search_result_location',
            url: 'https://x',
            title: null,
            cited_text: '',
            encrypted_index: unsigned,
          },
        ],
      },
    ],
  ],
  [
    'an image is replaced by a text',
    [head({ type: 'media', mime: 'image/png', source: { type: 'base64', data: 'x' } }), done],
    [{ type: 'text', text: expect.stringContaining('image/png') }],
  ],
  [
    'tools that another vendor executed are left out',
    [head({ type: 'hosted', protocol: 'responses', json: '{"type":"web_search_call"}' }), done],
    [],
  ],
  [
    'tools that a vendor of this protocol executed are kept',
    [
      head({
        type: 'hosted',
        protocol: 'messages',
        json: '{"type":"server_tool_use","id":"s","name":"w","input":{"q":1}}',
      }),
      done,
    ],
    [{ type: 'server_tool_use', id: 's', name: 'w', input: { q: 1 } }],
  ],
  [
    'only the first of several answers',
    [
      head({ type: 'text' }),
      { type: 'part-start', answer: 1, part: { type: 'text' } },
      add('a'),
      { type: 'part-delta', answer: 1, text: 'b' },
      { type: 'part-end', answer: 1 },
      done,
    ],
    [{ type: 'text', text: 'a' }],
  ],
]

describe('messages: a reply to a client', () => {
  test.each(rows)('%s, streamed and whole', (_, parts, content) => {
    const events = [begin, ...parts, usage, end('stop')]
    expect(contentOf(events)).toEqual(content)
    expect(whole(events)['content']).toEqual(content)
  })

  test('the first and last events of a stream, byte for byte', () => {
    const events = [begin, head({ type: 'text' }), add('Hi "you"'), done, usage, end('stop')]
    expect(encodeStream(events)).toBe(
      [
        'event: message_start\ndata: {"type":"message_start","message":{"id":"msg_1","type":"message","role":"assistant","model":"public-model","content":[],"stop_reason":null,"stop_sequence":null,"stop_details":null,"usage":{"input_tokens":9,"cache_creation_input_tokens":0,"cache_read_input_tokens":0,"output_tokens":1}}}',
        'event: content_block_start\ndata: {"type":"content_block_start","index":0,"content_block":{"type":"text","text":""}}',
        'event: content_block_delta\ndata: {"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"Hi \\"you\\""}}',
        'event: content_block_stop\ndata: {"type":"content_block_stop","index":0}',
        'event: message_delta\ndata: {"type":"message_delta","delta":{"stop_reason":"end_turn","stop_sequence":null,"stop_details":null},"usage":{"input_tokens":8,"cache_creation_input_tokens":3,"cache_read_input_tokens":3512,"cache_creation":{"ephemeral_5m_input_tokens":1,"ephemeral_1h_input_tokens":2},"output_tokens":44,"output_tokens_details":{"thinking_tokens":42}}}',
        'event: message_stop\ndata: {"type":"message_stop"}',
        '',
      ].join('\n\n'),
    )
  })

  test('usage that was never reported is estimated', () => {
    const events = [begin, head({ type: 'text' }), add('x'.repeat(40)), done, end('stop')]
    expect(whole(events)['usage']).toMatchObject({ input_tokens: 9, output_tokens: 10 })
    expect(readStream(encodeStream(events)).at(-2)?.['usage']).toMatchObject({ output_tokens: 10 })
  })

  const badArguments: [sent: string, input: unknown][] = [
    ['{"a":', { _raw: '{"a":' }],
    ['[1]', { _raw: '[1]' }],
    ['  ', {}],
  ]
  test.each(badArguments)('whole arguments %j are an object', (sent, input) => {
    const events = [begin, head(call('c')), add(sent), done, usage, end('length')]
    expect(whole(events)).toMatchObject({ content: [{ input }], stop_reason: 'max_tokens' })
  })

  test('whole arguments keep their spelling', () => {
    const spelled = '{"b":1.0,"1":12345678901234567890}'
    const events = [begin, head(call('c')), add(spelled), done, usage, end('tool-calls')]
    const message = messages.translation.encodeReply(events, replyContext())
    expect(message).toContain(`"input":${spelled}`)
  })

  test('a fault in the middle is the error event and nothing more', () => {
    const fault = new Fault('upstream_error', 'It broke.')
    const text2 = encodeStream([begin, head({ type: 'text' }), add('a'), { type: 'fault', fault }])
    const stream = readStream(text2)
    expect(stream.map((event) => event['type'])).toEqual([
      'message_start',
      'content_block_start',
      'content_block_delta',
      'error',
    ])
    expect(stream.at(-1)).toEqual({
      type: 'error',
      error: {
        type: 'api_error',
        message: 'It broke.',
        details: { error_code: 'upstream_error' },
      },
      request_id: 'req-1',
    })
  })

  test('a fault before any event starts no message', () => {
    const fault = new Fault('upstream_timeout', 'Late.')
    expect(readStream(encodeStream([{ type: 'fault', fault }]))).toMatchObject([
      { type: 'error', error: { type: 'timeout_error' } },
    ])
  })

  test('signed text before more text has its signature only for clients that requested reasoning', () => {
    const events = [
      begin,
      head({ type: 'text' }),
      add('a'),
      { ...done, opaque: signed },
      head({ type: 'text' }),
      add('b'),
      done,
      end('stop'),
    ]
    const words = [
      { type: 'text', text: 'a' },
      { type: 'text', text: 'b' },
    ]
    expect(whole(events)['content']).toEqual(words)
    const asked = replyContext({ ...plainRequest, reasoning: { mode: 'auto' } })
    const message = parseJson(messages.translation.encodeReply(events, asked))
    expect(message).toMatchObject({
      content: [words[0], { type: 'redacted_thinking', data: sealOpaque(signed) }, words[1]],
    })
  })

  test('an envelope for the client can be opened again', () => {
    const [block] = contentOf([
      begin,
      head({ type: 'reasoning' }),
      add('x'),
      { ...done, opaque: signed },
      end('stop'),
    ])
    expect(openSealed(String(block?.['signature']))).toEqual(signed)
  })
})
