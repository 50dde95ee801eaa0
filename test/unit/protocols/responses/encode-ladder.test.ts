import { describe, expect, test } from 'bun:test'
import type { Opaque } from '../../../../src/core/neutral/model-request.ts'
import type { Finish, ReplyEvent } from '../../../../src/core/neutral/reply-event.ts'
import { gatewayIssuer, sealOpaque } from '../../../../src/protocols/fit/seal-opaque.ts'
import {
  closing,
  decode,
  encode,
  opening,
  plainRequest,
  replyContext,
  saying,
  start,
  stop,
  write,
} from './helpers.ts'

const sealThought = (data: string) => sealOpaque({ issuer: gatewayIssuer, kind: 'sealed', data })

const google: Opaque = { issuer: 'google/gemini', kind: 'signature', data: 'c2ln' }
const claude: Opaque = { issuer: 'anthropic/claude', kind: 'signature', data: 'EqQB' }
const text = opening({ type: 'text' })
const thought = opening({ type: 'reasoning' })
const calling = opening({ type: 'tool-call', id: 'c', name: 'f', form: 'function' })
function ended(finish: Partial<Finish>): ReplyEvent {
  return { type: 'reply-end', finishes: [{ reason: 'stop', raw: undefined, ...finish }] }
}
const ladder = (events: readonly { [name: string]: unknown }[]) =>
  events.map(({ type }) => String(type).replace('response.', ''))

describe('the order of events', () => {
  const replies: [string, ReplyEvent[], string[]][] = [
    ['an empty reply', [start, stop], ['completed']],
    [
      'text; empty pieces open no item',
      [start, text, saying(''), closing, text, saying(''), saying('a'), saying('b'), closing, stop],
      [
        'output_item.added',
        'content_part.added',
        'output_text.delta',
        'output_text.delta',
        'output_text.done',
        'content_part.done',
        'output_item.done',
        'completed',
      ],
    ],
    [
      'consecutive texts are parts of one message',
      [start, text, saying('a'), closing, text, saying('b'), closing, stop],
      [
        'output_item.added',
        'content_part.added',
        'output_text.delta',
        'output_text.done',
        'content_part.done',
        'content_part.added',
        'output_text.delta',
        'output_text.done',
        'content_part.done',
        'output_item.done',
        'completed',
      ],
    ],
    [
      'a call, also without arguments',
      [start, calling, closing, stop],
      [
        'output_item.added',
        'function_call_arguments.delta',
        'function_call_arguments.done',
        'output_item.done',
        'completed',
      ],
    ],
    [
      'a custom tool',
      [
        start,
        opening({ type: 'tool-call', id: 'c', name: 'p', form: 'custom', namespace: 'n' }),
        saying('x'),
        closing,
        stop,
      ],
      [
        'output_item.added',
        'custom_tool_call_input.delta',
        'custom_tool_call_input.done',
        'output_item.done',
        'completed',
      ],
    ],
    [
      'reasoning with text; each reasoning part is an item',
      [
        start,
        thought,
        saying('a'),
        closing,
        thought,
        closing,
        thought,
        { ...closing, opaque: claude },
        stop,
      ],
      [
        'output_item.added',
        'reasoning_summary_part.added',
        'reasoning_summary_text.delta',
        'reasoning_summary_text.done',
        'reasoning_summary_part.done',
        'output_item.done',
        'output_item.added',
        'output_item.done',
        'completed',
      ],
    ],
    [
      'a refusal',
      [
        start,
        opening({ type: 'refusal' }),
        saying('no'),
        closing,
        ended({ reason: 'content-filter' }),
      ],
      [
        'output_item.added',
        'content_part.added',
        'refusal.delta',
        'refusal.done',
        'content_part.done',
        'output_item.done',
        'completed',
      ],
    ],
    [
      'hosted tools of another vendor are left out, an image is an item',
      [
        start,
        opening({ type: 'hosted', protocol: 'messages', json: '{}' }),
        closing,
        opening({ type: 'media', mime: 'image/png', source: { type: 'base64', data: 'AA' } }),
        closing,
        stop,
      ],
      ['output_item.added', 'output_item.done', 'completed'],
    ],
  ]
  test.each(replies)('%s', (_, events, expected) => {
    expect(ladder(write(events).events)).toEqual(['created', 'in_progress', ...expected])
  })

  test('the event of a piece of text, byte for byte', () => {
    const { text: wire } = write([start, text, saying('a "b"\n'), closing, stop])
    expect(wire).toContain(
      'event: response.output_text.delta\ndata: {"type":"response.output_text.delta","item_id":"msg_2","output_index":0,"content_index":0,"delta":"a \\"b\\"\\n","logprobs":[],"sequence_number":4}\n\n',
    )
  })

  test('every event is numbered, from 0, without gaps, under its own name', () => {
    const { events } = write([
      start,
      thought,
      saying('a'),
      closing,
      text,
      saying('b'),
      closing,
      calling,
      saying('{}'),
      closing,
      stop,
    ])
    expect(events.map((event) => event['sequence_number'])).toEqual(events.map((_, index) => index))
  })
})

describe('the items', () => {
  test('complete in their last event and in the response; ids of item and call differ', () => {
    const { events, final } = write([
      start,
      thought,
      saying('why'),
      { ...closing, opaque: claude },
      text,
      saying('so'),
      {
        ...closing,
        annotations: [
          { url: 'https://a', title: undefined, start: undefined, end: undefined, citedText: 'x' },
        ],
      },
      calling,
      saying('{"a":'),
      saying('1}'),
      closing,
      ended({ reason: 'tool-calls' }),
    ])
    const output = [
      {
        id: 'rs_2',
        type: 'reasoning',
        summary: [{ type: 'summary_text', text: 'why' }],
        encrypted_content: sealOpaque(claude),
      },
      {
        id: 'msg_3',
        type: 'message',
        status: 'completed',
        role: 'assistant',
        content: [
          {
            type: 'output_text',
            text: 'so',
            annotations: [
              { type: 'url_citation', url: 'https://a', title: '', start_index: 0, end_index: 2 },
            ],
            logprobs: [],
          },
        ],
      },
      {
        id: 'fc_4',
        type: 'function_call',
        status: 'completed',
        call_id: 'c',
        name: 'f',
        arguments: '{"a":1}',
      },
    ]
    expect(final?.['output']).toEqual(output)
    const finished = events.filter(({ type }) => type === 'response.output_item.done')
    expect(finished.map(({ item }) => item)).toEqual(output)
    expect(finished.map((event) => event['output_index'])).toEqual([0, 1, 2])
    expect(events.at(-1)).toMatchObject({ type: 'response.completed', response: { output } })
  })

  test('the end of a function call has its name; that of a custom tool has none', () => {
    const { events } = write([
      start,
      calling,
      saying('{}'),
      closing,
      opening({ type: 'tool-call', id: 'd', name: 'p', form: 'custom' }),
      saying('x'),
      closing,
      ended({ reason: 'tool-calls' }),
    ])
    const ends = events.filter(({ type }) => /(arguments|input)\.done$/.test(String(type)))
    expect(ends).toEqual([
      {
        type: 'response.function_call_arguments.done',
        item_id: 'fc_2',
        output_index: 0,
        name: 'f',
        arguments: '{}',
        sequence_number: 4,
      },
      {
        type: 'response.custom_tool_call_input.done',
        item_id: 'ctc_3',
        output_index: 1,
        input: 'x',
        sequence_number: 8,
      },
    ])
  })

  const reply = [start, thought, saying('why\n'), closing, calling, closing, stop]
  const summary = [{ type: 'summary_text', text: 'why\n' }]

  test('unsigned reasoning is in an envelope for clients that request it, and returns as text alone', () => {
    const include = ['reasoning.encrypted_content']
    const body = { model: 'm', input: 'hi', store: false, include }
    const { events, final } = write(reply, replyContext(body))
    const output = final?.['output']
    const item = { id: 'rs_2', type: 'reasoning', summary, encrypted_content: sealThought('why\n') }
    expect(output).toMatchObject([item, { type: 'function_call' }])
    expect(events).toContainEqual(
      expect.objectContaining({ type: 'response.output_item.done', output_index: 0, item }),
    )
    const { turns } = decode({ input: output })
    expect(turns).toEqual([
      {
        role: 'assistant',
        parts: [
          { type: 'reasoning', text: 'why\n' },
          expect.objectContaining({ type: 'tool-call', id: 'c' }),
        ],
      },
    ])
    const { text: sent, warnings } = encode(plainRequest({ turns }))
    expect(sent).not.toContain('gw1.')
    expect(sent).not.toContain('why')
    expect(warnings).toEqual(['reasoning_history_dropped'])
  })

  test('unsigned reasoning has no envelope for other clients', () => {
    for (const include of [undefined, null, [], ['message.output_text.logprobs']]) {
      const { final } = write(reply, replyContext({ model: 'm', input: 'hi', include }))
      expect(final?.['output']).toMatchObject([{ summary }, { type: 'function_call' }])
      expect(JSON.stringify(final)).not.toContain('encrypted_content":')
    }
  })

  test('a signature of a call or a text has its own item, and comes back to its part', () => {
    const signed = opening({
      type: 'tool-call',
      id: 'c',
      name: 'f',
      form: 'function',
      opaque: google,
    })
    const { final } = write([
      start,
      text,
      saying('so'),
      { ...closing, opaque: google },
      signed,
      saying('{}'),
      { ...closing, opaque: google },
      opening({ type: 'tool-call', id: 'd', name: 'f', form: 'function' }),
      saying('{}'),
      closing,
      ended({ reason: 'tool-calls' }),
    ])
    const output = final?.['output']
    const kinds = (output as { type: string }[]).map(({ type }) => type)
    expect(kinds).toEqual(['message', 'reasoning', 'reasoning', 'function_call', 'function_call'])
    const [turn] = decode({ input: output }).turns
    expect(turn?.parts).toMatchObject([
      { type: 'text', text: 'so', opaque: google },
      { type: 'tool-call', id: 'c', opaque: google },
      { type: 'tool-call', id: 'd' },
    ])
    expect(turn?.parts[2]).not.toHaveProperty('opaque')
  })
})
