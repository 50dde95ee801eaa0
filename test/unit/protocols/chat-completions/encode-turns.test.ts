import { describe, expect, test } from 'bun:test'
import { Fault } from '../../../../src/core/fault.ts'
import type { Opaque, Part, TextPart, Turn } from '../../../../src/core/neutral/model-request.ts'
import type { ModelTraits } from '../../../../src/protocols/model-traits.ts'
import { encodeRequest, issuer, plainRequest, targetOf } from './helpers.ts'

const text = (words: string, more: object = {}): TextPart => ({
  type: 'text',
  text: words,
  ...more,
})
const image: Part = {
  type: 'media',
  kind: 'image',
  mime: 'image/png',
  source: { type: 'base64', data: 'aGk=' },
}
const imageWire = { type: 'image_url', image_url: { url: 'data:image/png;base64,aGk=' } }
const call = (id: string, argumentsText = '{}', opaque?: Opaque): Part => ({
  type: 'tool-call',
  id,
  name: 'f',
  form: 'function',
  argumentsText,
  opaque,
})
const callWire = (id: string, written = '{}', more: object = {}) => ({
  id,
  type: 'function',
  function: { name: 'f', arguments: written },
  ...more,
})
const result = (callId: string, parts: Part[], isError = false): Part => ({
  type: 'tool-result',
  callId,
  form: 'function',
  parts: parts.filter((part) => part.type === 'text' || part.type === 'media'),
  isError,
})
const user = (...parts: Part[]): Turn => ({ role: 'user', parts })
const assistant = (...parts: Part[]): Turn => ({ role: 'assistant', parts })
const thought = (words: string, opaque?: Opaque): Part => ({
  type: 'reasoning',
  text: words,
  opaque,
})
const foreign: Opaque = { issuer: 'other/one', kind: 'signature', data: 's' }
const details = [{ type: 'reasoning.text', signature: 's', format: 'x', index: 0 }]
const own: Opaque = { issuer, kind: 'signature', data: JSON.stringify(details) }
const simple: ModelTraits = { outputLimitField: 'max_tokens' }

type Row = [
  name: string,
  talk: { system?: TextPart[]; turns?: Turn[] },
  traits: ModelTraits,
  messages: object[],
  warnings?: string[],
]

const rows: Row[] = [
  ['one instruction', { system: [text('a')] }, {}, [{ role: 'system', content: 'a' }]],
  [
    'instructions by another role',
    { system: [text('a')] },
    { instructionRole: 'developer' },
    [{ role: 'developer', content: 'a' }],
  ],
  [
    'several instructions stay separate parts',
    { system: [text('a'), text('b')] },
    {},
    [{ role: 'system', content: [text('a'), text('b')] }],
  ],
  [
    'several instructions for a simple server',
    { system: [text('a'), text('b')] },
    simple,
    [{ role: 'system', content: 'a\n\nb' }],
  ],
  [
    'later instructions keep their position',
    { turns: [user(text('a')), { role: 'system', parts: [text('b')] }, user(text('c'))] },
    {},
    [
      { role: 'user', content: 'a' },
      { role: 'system', content: 'b' },
      { role: 'user', content: 'c' },
    ],
  ],
  [
    'media',
    {
      turns: [
        user(
          text('see'),
          { ...image, detail: 'low' },
          {
            type: 'media',
            kind: 'image',
            mime: undefined,
            source: { type: 'url', url: 'https://x' },
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
            mime: 'text/plain',
            source: { type: 'text', text: 'words' },
            title: 'T',
          },
          {
            type: 'media',
            kind: 'document',
            mime: undefined,
            source: { type: 'file', id: 'file-1', protocol: 'chat-completions' },
          },
          {
            type: 'media',
            kind: 'audio',
            mime: 'audio/x-wav',
            source: { type: 'base64', data: 'aGk=' },
          },
        ),
      ],
    },
    {},
    [
      {
        role: 'user',
        content: [
          text('see'),
          { type: 'image_url', image_url: { url: 'data:image/png;base64,aGk=', detail: 'low' } },
          { type: 'image_url', image_url: { url: 'https://x' } },
          {
            type: 'file',
            file: { filename: 'a.pdf', file_data: 'data:application/pdf;base64,aGk=' },
          },
          text('T\n\nwords'),
          { type: 'file', file: { file_id: 'file-1' } },
          { type: 'input_audio', input_audio: { data: 'aGk=', format: 'wav' } },
        ],
      },
    ],
  ],
  [
    'results first, then the text of the user',
    {
      turns: [
        assistant(call('a'), call('b')),
        user(text('now'), result('a', [text('x')]), result('b', [text('y')])),
      ],
    },
    {},
    [
      { role: 'assistant', content: null, tool_calls: [callWire('a'), callWire('b')] },
      { role: 'tool', tool_call_id: 'a', content: 'x' },
      { role: 'tool', tool_call_id: 'b', content: 'y' },
      { role: 'user', content: 'now' },
    ],
  ],
  [
    'images of results follow the last result, even one of the next turn',
    {
      turns: [user(result('a', [text('x'), image])), user(result('b', [image])), user(text('now'))],
    },
    {},
    [
      {
        role: 'tool',
        tool_call_id: 'a',
        content: [text('x'), text('[image: see the message after the results]')],
      },
      { role: 'tool', tool_call_id: 'b', content: '[image: see the message after the results]' },
      { role: 'user', content: [imageWire, imageWire, text('now')] },
    ],
  ],
  [
    'images of the last results',
    { turns: [user(result('a', [image])), assistant(text('ok'))] },
    {},
    [
      { role: 'tool', tool_call_id: 'a', content: '[image: see the message after the results]' },
      { role: 'user', content: [imageWire] },
      { role: 'assistant', content: 'ok' },
    ],
  ],
  [
    'a failed tool is marked as failed, and an empty result stays empty',
    { turns: [user(result('a', [text('boom')], true), result('b', []), result('c', [], true))] },
    {},
    [
      { role: 'tool', tool_call_id: 'a', content: '[tool error] boom' },
      { role: 'tool', tool_call_id: 'b', content: '' },
      { role: 'tool', tool_call_id: 'c', content: '[tool error] ' },
    ],
  ],
  [
    'arguments are unchanged, even if they are not JSON; missing ones are an empty object',
    { turns: [assistant(call('a', '{"n":1.0,'), call('b', ''))] },
    {},
    [{ role: 'assistant', content: null, tool_calls: [callWire('a', '{"n":1.0,'), callWire('b')] }],
  ],
  [
    'text in pieces is joined, a refusal has its own field',
    { turns: [assistant(text('a'), text('b'), { type: 'refusal', text: 'no' })] },
    {},
    [{ role: 'assistant', content: 'ab', refusal: 'no' }],
  ],
  [
    'a turn without parts is left out, and so is empty text beside other parts',
    { turns: [assistant(), user(), user(text(''), text('a'))] },
    {},
    [{ role: 'user', content: 'a' }],
  ],
  [
    'an empty user message is still a turn',
    { turns: [user(text('a')), assistant(text('b')), user(text(''))] },
    {},
    [
      { role: 'user', content: 'a' },
      { role: 'assistant', content: 'b' },
      { role: 'user', content: '' },
    ],
  ],
  [
    'reasoning for a server that accepts none',
    { turns: [assistant(thought('hm'), text('a'))] },
    {},
    [{ role: 'assistant', content: 'a' }],
    ['reasoning_effort_history_dropped'],
  ],
  [
    'reasoning in reasoning_content',
    { turns: [assistant(thought('hm'), thought('so', own), text('a'))] },
    { reasoningReturn: 'reasoning_content' },
    [{ role: 'assistant', content: 'a', reasoning_content: 'hm\n\nso' }],
  ],
  [
    'reasoning of another vendor is not sent',
    { turns: [assistant(thought('secret', foreign), text('a'))] },
    { reasoningReturn: 'reasoning_content' },
    [{ role: 'assistant', content: 'a' }],
    ['reasoning_effort_history_dropped'],
  ],
  [
    'reasoning details are returned unchanged',
    { turns: [assistant(thought('hm', own), call('a'))] },
    { reasoningReturn: 'reasoning_details' },
    [
      {
        role: 'assistant',
        content: null,
        reasoning: 'hm',
        reasoning_details: [{ ...details[0], text: 'hm' }],
        tool_calls: [callWire('a')],
      },
    ],
  ],
  [
    'signatures on calls, for a vendor that signs calls',
    { turns: [assistant(call('a', '{}', { ...own, data: 'sig' }), call('b', '{}', foreign))] },
    { signsCalls: true },
    [
      {
        role: 'assistant',
        content: null,
        tool_calls: [
          callWire('a', '{}', { extra_content: { google: { thought_signature: 'sig' } } }),
          callWire('b'),
        ],
      },
    ],
    ['reasoning_effort_signature_dropped'],
  ],
  [
    'the signature of a call, which came back on the preceding reasoning',
    { turns: [assistant(thought('hm', { ...own, data: 'sig' }), text('a'), call('a'), call('b'))] },
    { signsCalls: true },
    [
      {
        role: 'assistant',
        content: 'a',
        tool_calls: [
          callWire('a', '{}', { extra_content: { google: { thought_signature: 'sig' } } }),
          callWire('b'),
        ],
      },
    ],
    ['reasoning_effort_history_dropped'],
  ],
  [
    'cache marks where they are supported',
    {
      system: [text('s', { cacheMark: { ttl: '1h' } })],
      turns: [user(text('a', { cacheMark: { ttl: '5m' } }))],
    },
    { takesCacheMarks: true },
    [
      {
        role: 'system',
        content: [{ ...text('s'), cache_control: { type: 'ephemeral', ttl: '1h' } }],
      },
      { role: 'user', content: [{ ...text('a'), cache_control: { type: 'ephemeral' } }] },
    ],
  ],
  [
    'cache marks where they are not supported',
    { turns: [user(text('a', { cacheMark: { ttl: '5m' } }))] },
    {},
    [{ role: 'user', content: 'a' }],
    ['cache_control_dropped'],
  ],
  [
    'hosted tools of a vendor in the history',
    { turns: [assistant({ type: 'hosted', protocol: 'messages', json: '{}' }, text('a'))] },
    {},
    [{ role: 'assistant', content: 'a' }],
    ['messages_hosted_tools_dropped'],
  ],
]

const refused: [name: string, part: Part][] = [
  [
    'video',
    { type: 'media', kind: 'video', mime: 'video/mp4', source: { type: 'base64', data: 'a' } },
  ],
  [
    'a document by URL',
    { type: 'media', kind: 'document', mime: undefined, source: { type: 'url', url: 'https://x' } },
  ],
  [
    'audio by URL',
    { type: 'media', kind: 'audio', mime: undefined, source: { type: 'url', url: 'https://x' } },
  ],
  [
    'a file of another vendor',
    {
      type: 'media',
      kind: 'document',
      mime: undefined,
      source: { type: 'file', id: 'f', protocol: 'messages' },
    },
  ],
  [
    'an image of another vendor',
    {
      type: 'media',
      kind: 'image',
      mime: undefined,
      source: { type: 'file', id: 'f', protocol: 'responses' },
    },
  ],
]

describe('a conversation in chat messages', () => {
  test.each(rows)('%s', (_, talk, traits, messages, warnings = []) => {
    const request = { ...plainRequest, turns: [], ...talk }
    const encoded = encodeRequest(request, targetOf(traits))
    expect(encoded.body['messages']).toStrictEqual(messages)
    expect(encoded.warnings).toEqual(warnings)
  })

  test.each(refused)('refused: %s', (_, part) => {
    const attempt = () => encodeRequest({ ...plainRequest, turns: [user(part)] })
    expect(attempt).toThrow(Fault)
    expect(attempt).toThrow(
      expect.objectContaining({ details: { param: 'messages', isUntranslatable: true } }),
    )
  })
})
