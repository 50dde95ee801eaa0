import { describe, expect, test } from 'bun:test'
import { sealOpaque } from '../../../../src/protocols/fit/seal-opaque.ts'
import { decodeRequest } from './helpers.ts'

const text = (words: string) => ({ type: 'text', text: words })
const image = 'data:image/PNG;base64,aGk='
const call = {
  type: 'tool-call',
  id: 'a',
  name: 'f',
  form: 'function',
  argumentsText: '{}',
  opaque: undefined,
}
const result = (callId: string, words: string) => ({
  type: 'tool-result',
  callId,
  name: undefined,
  form: 'function',
  parts: words === '' ? [] : [text(words)],
  isError: false,
  cacheMark: undefined,
})

type Talk = [name: string, messages: object[], expected: object]

const talks: Talk[] = [
  [
    'leading instructions are separate, later ones keep their position',
    [
      { role: 'system', content: 'a' },
      { role: 'developer', content: [text('b'), text('c')] },
      { role: 'user', content: 'd' },
      { role: 'system', content: 'e' },
    ],
    {
      system: [text('a'), text('b'), text('c')],
      turns: [
        { role: 'user', parts: [text('d')] },
        { role: 'system', parts: [text('e')] },
      ],
    },
  ],
  [
    'instructions alone are a valid request',
    [{ role: 'system', content: 'a' }],
    { system: [], turns: [{ role: 'system', parts: [text('a')] }] },
  ],
  [
    'images, files, audio and video',
    [
      {
        role: 'user',
        content: [
          { type: 'image_url', image_url: { url: image, detail: 'low' } },
          { type: 'image_url', image_url: 'https://x/y.png' },
          {
            type: 'file',
            file: { filename: 'a.pdf', file_data: 'data:application/pdf;base64,aGk=' },
          },
          { type: 'file', file: { file_data: 'aGk=' } },
          { type: 'file', file: { file_id: 'file-1' } },
          { type: 'input_audio', input_audio: { data: 'aGk=', format: 'mp3' } },
          { type: 'video_url', video_url: { url: 'https://x/y.mp4' } },
        ],
      },
    ],
    {
      turns: [
        {
          role: 'user',
          parts: [
            {
              type: 'media',
              kind: 'image',
              mime: 'image/png',
              source: { type: 'base64', data: 'aGk=' },
              detail: 'low',
            },
            {
              type: 'media',
              kind: 'image',
              mime: undefined,
              source: { type: 'url', url: 'https://x/y.png' },
            },
            {
              type: 'media',
              kind: 'document',
              mime: 'application/pdf',
              source: { type: 'base64', data: 'aGk=' },
              filename: 'a.pdf',
            },
            {
              type: 'media',
              kind: 'document',
              mime: 'application/pdf',
              source: { type: 'base64', data: 'aGk=' },
            },
            {
              type: 'media',
              kind: 'document',
              source: { type: 'file', id: 'file-1', protocol: 'chat-completions' },
            },
            {
              type: 'media',
              kind: 'audio',
              mime: 'audio/mpeg',
              source: { type: 'base64', data: 'aGk=' },
            },
            { type: 'media', kind: 'video', source: { type: 'url', url: 'https://x/y.mp4' } },
          ],
        },
      ],
    },
  ],
  [
    'cache marks on a part and on a message',
    [
      { role: 'user', content: [{ ...text('a'), cache_control: { type: 'ephemeral' } }] },
      { role: 'assistant', content: 'b', cache_control: { type: 'ephemeral', ttl: '1h' } },
    ],
    {
      turns: [
        { role: 'user', parts: [{ ...text('a'), cacheMark: { ttl: '5m' } }] },
        { role: 'assistant', parts: [{ ...text('b'), cacheMark: { ttl: '1h' } }] },
      ],
    },
  ],
  [
    'consecutive results are one turn, and the next message is another',
    [
      {
        role: 'assistant',
        content: null,
        tool_calls: [{ id: 'a', type: 'function', function: { name: 'f', arguments: '{}' } }],
      },
      { role: 'tool', tool_call_id: 'a', content: 'x' },
      { role: 'tool', tool_call_id: 'b', content: [text('y')] },
      { role: 'user', content: 'z' },
    ],
    {
      turns: [
        { role: 'assistant', parts: [call] },
        { role: 'user', parts: [result('a', 'x'), result('b', 'y')] },
        { role: 'user', parts: [text('z')] },
      ],
    },
  ],
  [
    'a result with an image, and one that is not text',
    [
      {
        role: 'tool',
        tool_call_id: 'a',
        content: [text('x'), { type: 'image_url', image_url: { url: image } }],
      },
      { role: 'tool', tool_call_id: 'b', content: { ok: true } },
      { role: 'tool', tool_call_id: 'c', content: null },
    ],
    {
      turns: [
        {
          parts: [
            { parts: [text('x'), { type: 'media', kind: 'image' }] },
            { parts: [text('{"ok":true}')] },
            { parts: [] },
          ],
        },
      ],
    },
  ],
  [
    'the older form: ids are generated, and results match the last unanswered call of their name',
    [
      { role: 'assistant', content: null, function_call: { name: 'f', arguments: '{"a":1}' } },
      { role: 'function', name: 'f', content: 'x' },
      { role: 'assistant', content: null, function_call: { name: 'f', arguments: '{}' } },
      { role: 'function', name: 'f', content: 'y' },
    ],
    {
      turns: [
        { parts: [{ id: 'call_function_1', name: 'f', argumentsText: '{"a":1}' }] },
        { parts: [{ callId: 'call_function_1', name: 'f' }] },
        { parts: [{ id: 'call_function_2' }] },
        { parts: [{ callId: 'call_function_2' }] },
      ],
    },
  ],
  [
    'text, refusal, custom call',
    [
      {
        role: 'assistant',
        content: [text('a'), { type: 'refusal', refusal: 'no' }],
        refusal: 'never',
        tool_calls: [{ id: 'c', type: 'custom', custom: { name: 'g', input: 'free' } }],
      },
    ],
    {
      turns: [
        {
          role: 'assistant',
          parts: [
            text('a'),
            { type: 'refusal', text: 'no' },
            { type: 'refusal', text: 'never' },
            {
              type: 'tool-call',
              id: 'c',
              name: 'g',
              form: 'custom',
              argumentsText: 'free',
              opaque: undefined,
            },
          ],
        },
      ],
    },
  ],
  [
    'reasoning beside the text',
    [{ role: 'assistant', content: 'a', reasoning_content: 'hm' }],
    { turns: [{ parts: [{ type: 'reasoning', text: 'hm' }, text('a')] }] },
  ],
  [
    'reasoning in OpenRouter’s form',
    [{ role: 'assistant', content: 'a', reasoning: 'hm' }],
    { turns: [{ parts: [{ type: 'reasoning', text: 'hm' }, text('a')] }] },
  ],
  [
    'reasoning in Mistral’s form',
    [
      {
        role: 'assistant',
        content: [{ type: 'thinking', thinking: [text('h'), text('m')] }, text('a')],
      },
    ],
    { turns: [{ parts: [{ type: 'reasoning', text: 'hm' }, text('a')] }] },
  ],
  [
    'empty text is dropped, but an empty user message is still a turn',
    [
      { role: 'user', content: '' },
      { role: 'assistant', content: [text('')] },
      { role: 'user', content: [text(''), text('')] },
      { role: 'assistant', content: '' },
      { role: 'user', content: [text(''), text('a')] },
      { role: 'user', content: null, cache_control: { type: 'ephemeral' } },
    ],
    {
      turns: [
        { role: 'user', parts: [text('')] },
        { role: 'assistant', parts: [] },
        { role: 'user', parts: [text('')] },
        { role: 'assistant', parts: [] },
        { role: 'user', parts: [text('a')] },
        { role: 'user', parts: [text('')] },
      ],
    },
  ],
]

describe('the messages of a chat request', () => {
  test.each([
    ['user', { name: 'anna' }, { 'messages.name': true }],
    ['assistant', { name: 'critic' }, { 'messages.name': true }],
    ['user', { name: '' }, {}],
    ['user', { name: null }, {}],
    ['system', { name: 'house' }, {}],
  ])('the name of a speaker in a message of the %s: %p', (role, fields, extras) => {
    const messages = [
      { role: 'user', content: 'a' },
      { role, content: 'b', ...fields },
    ]
    expect(decodeRequest({ model: 'm', messages }).extras).toEqual(extras)
  })

  test.each(talks)('%s', (_, messages, expected) => {
    const request = decodeRequest({ model: 'm', messages })
    expect(request).toMatchObject(expected)
  })
})

const signed = { issuer: 'anthropic/claude', kind: 'signature', data: 'sig+/=' } as const
const sealed = { issuer: 'openai/gpt', kind: 'sealed', data: 'enc' } as const

describe('returned reasoning', () => {
  const partsOf = (message: object) =>
    decodeRequest({ model: 'm', messages: [{ role: 'assistant', ...message }] }).turns[0]?.parts

  test('envelopes open, each with its own text', () => {
    const details = [
      { type: 'reasoning.text', text: 'one', signature: sealOpaque(signed), index: 0 },
      { type: 'reasoning.summary', summary: 'two', index: 1 },
      { type: 'reasoning.encrypted', data: sealOpaque(sealed), index: 1 },
      { type: 'reasoning.encrypted', data: sealOpaque(sealed), index: 2 },
    ]
    expect(partsOf({ reasoning_content: 'onetwo', reasoning_details: details })).toEqual([
      { type: 'reasoning', text: 'one', opaque: signed },
      { type: 'reasoning', text: 'two', opaque: sealed },
      { type: 'reasoning', text: '', opaque: sealed },
    ])
  })

  test('the pieces of a stream, kept apart by the client, are put together', () => {
    const details = [
      { type: 'reasoning.text', text: 'o', index: 0 },
      { type: 'reasoning.text', text: 'ne', index: 0 },
      { type: 'reasoning.text', signature: sealOpaque(signed), index: 0 },
      { type: 'reasoning.text', text: 'two', index: 1 },
      { type: 'reasoning.encrypted', data: sealOpaque(sealed), index: 1 },
    ]
    expect(partsOf({ reasoning_details: details })).toEqual([
      { type: 'reasoning', text: 'one', opaque: signed },
      { type: 'reasoning', text: 'two', opaque: sealed },
    ])
  })

  test('a token without an envelope belongs to the client’s own vendor, and is kept unchanged', () => {
    const details = [{ type: 'reasoning.encrypted', data: 'x', id: 'r', format: 'f', index: 0 }]
    expect(partsOf({ reasoning: 'hm', reasoning_details: details })).toEqual([
      {
        type: 'reasoning',
        text: 'hm',
        opaque: {
          issuer: 'native:chat-completions',
          kind: 'sealed',
          data: JSON.stringify(details),
        },
      },
    ])
  })

  test('signatures on calls and on the text', () => {
    const google = (data: string) => ({ extra_content: { google: { thought_signature: data } } })
    const called = { id: 'a', type: 'function', function: { name: 'f', arguments: '{}' } }
    const parts = partsOf({
      content: 'a',
      ...google(sealOpaque(signed)),
      tool_calls: [{ ...called, ...google('raw') }],
    })
    expect(parts).toEqual([
      { type: 'text', text: 'a', opaque: signed },
      { ...call, opaque: { issuer: 'native:chat-completions', kind: 'signature', data: 'raw' } },
    ] as never)
  })
})
