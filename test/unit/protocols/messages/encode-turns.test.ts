import { describe, expect, test } from 'bun:test'
import type { Part, Turn } from '../../../../src/core/neutral/model-request.ts'
import type { JsonObject } from '../../../../src/wire/json.ts'
import { encoded, issuer } from './helpers.ts'
import { assistant, call, result, system, text, tool, user } from './parts.ts'

const own = { issuer, kind: 'signature', data: 'EqQB' } as const
const foreign = { issuer: 'google/gemini', kind: 'signature', data: 'Ci' } as const
const turns: [name: string, sent: Turn[], messages: unknown[]][] = [
  [
    'consecutive turns of one role are one message of several blocks',
    [user(text('a')), user(text('b')), assistant(text('c')), user(text('d'))],
    [
      {
        role: 'user',
        content: [
          { type: 'text', text: 'a' },
          { type: 'text', text: 'b' },
        ],
      },
      { role: 'assistant', content: [{ type: 'text', text: 'c' }] },
      { role: 'user', content: [{ type: 'text', text: 'd' }] },
    ],
  ],
  [
    'results come before text, in one message',
    [
      user(text('a')),
      assistant(call('1'), call('2')),
      user(text('also'), result('1')),
      user(result('2', 'bad', true)),
    ],
    [
      { role: 'user', content: [{ type: 'text', text: 'a' }] },
      {
        role: 'assistant',
        content: [
          { type: 'tool_use', id: '1', name: 'f', input: {} },
          { type: 'tool_use', id: '2', name: 'f', input: {} },
        ],
      },
      {
        role: 'user',
        content: [
          { type: 'tool_result', tool_use_id: '1', content: 'ok' },
          { type: 'tool_result', tool_use_id: '2', content: 'bad', is_error: true },
          { type: 'text', text: 'also' },
        ],
      },
    ],
  ],
  [
    'empty turns are not sent, and their neighbours are joined',
    [user(text('a')), assistant(text(' \n')), user(text(''), text('b'))],
    [
      {
        role: 'user',
        content: [
          { type: 'text', text: 'a' },
          { type: 'text', text: 'b' },
        ],
      },
    ],
  ],
  [
    'a prefilled answer does not end with a space',
    [user(text('a')), assistant(text('The answer is \n'))],
    [
      { role: 'user', content: [{ type: 'text', text: 'a' }] },
      { role: 'assistant', content: [{ type: 'text', text: 'The answer is' }] },
    ],
  ],
  [
    'instructions keep their position',
    [user(text('a')), assistant(text('b')), system(text('c')), user(text('d'))],
    [
      { role: 'user', content: [{ type: 'text', text: 'a' }] },
      { role: 'assistant', content: [{ type: 'text', text: 'b' }] },
      {
        role: 'user',
        content: [
          { type: 'text', text: '<system-reminder>\nc\n</system-reminder>' },
          { type: 'text', text: 'd' },
        ],
      },
    ],
  ],
  [
    'a refusal becomes a text of the model',
    [user(text('a')), assistant({ type: 'refusal', text: 'No.' }), user(text('b'))],
    [
      { role: 'user', content: [{ type: 'text', text: 'a' }] },
      { role: 'assistant', content: [{ type: 'text', text: 'No.' }] },
      { role: 'user', content: [{ type: 'text', text: 'b' }] },
    ],
  ],
]

describe('messages: the conversation towards an upstream', () => {
  test.each(turns)('%s', (_, sent, messages) => {
    expect(encoded({ turns: sent }).body['messages']).toEqual(messages)
  })

  test('a conversation that the model begins gets a turn before it, with a warning', () => {
    const { body, warnings } = encoded({ turns: [assistant(text('a')), user(text('b'))] })
    expect(body['messages']).toMatchObject([
      { role: 'user' },
      { role: 'assistant' },
      { role: 'user' },
    ])
    expect(warnings).toEqual(['messages_user_turn_added'])
  })

  const goOn = { type: 'text', text: 'Go on.' }
  const reminder = { type: 'text', text: '<system-reminder>\nc\n</system-reminder>' }
  const added = ['messages_user_turn_added']
  const silences: [name: string, sent: Turn[], last: unknown, warnings: string[]][] = [
    ['alone', [user(text(''))], [goOn], added],
    ['after an answer', [user(text('a')), assistant(text('b ')), user(text(''))], [goOn], added],
    [
      'that contains only spaces',
      [user(text('a')), assistant(text('b')), user(text(' \n'))],
      [goOn],
      added,
    ],
    [
      'after instructions, which are not part of the user turn',
      [user(text('a')), assistant(text('b')), system(text('c')), user(text(''))],
      [reminder, goOn],
      added,
    ],
    [
      'beside a turn with text',
      [user(text('a')), assistant(text('b')), user(text('')), user(text('d')), user(text(''))],
      [{ type: 'text', text: 'd' }],
      [],
    ],
    [
      'beside results',
      [user(text('a')), assistant(call('1')), user(result('1')), user(text(''))],
      [{ type: 'tool_result', tool_use_id: '1', content: 'ok' }],
      [],
    ],
  ]
  test.each(silences)('an empty user turn, %s', (_, sent, last, warnings) => {
    const { body, warnings: told } = encoded({ turns: sent })
    const messages = body['messages'] as JsonObject[]
    expect(messages.at(-1)).toEqual({ role: 'user', content: last })
    expect(told).toEqual(warnings)
  })

  test('an empty user turn in the middle keeps the answers around it separate', () => {
    const sent = [user(text('a')), assistant(text('b')), user(text('')), assistant(text('c'))]
    const { body } = encoded({ turns: sent })
    const roles = ['user', 'assistant', 'user', 'assistant']
    expect(body['messages']).toMatchObject(roles.map((role) => ({ role })))
  })

  test('a model that accepts instructions between turns gets them as such', () => {
    const sent = [user(text('a')), system(text('c')), user(text('d'))]
    const { body } = encoded({ turns: sent }, { takesSystemTurns: true })
    expect(body['messages']).toMatchObject([{ role: 'user' }, { role: 'system' }, { role: 'user' }])
  })

  test('own reasoning comes first and unchanged; foreign reasoning is dropped, text and calls stay', () => {
    const { body, warnings } = encoded({
      turns: [
        user(text('a')),
        assistant(
          { type: 'reasoning', text: 'hm', opaque: own },
          { type: 'reasoning', text: '', opaque: { ...own, kind: 'sealed', data: 'EtE' } },
          { type: 'reasoning', text: 'n', opaque: { ...own, issuer: 'native:messages' } },
          { type: 'reasoning', text: 'theirs', opaque: foreign },
          { type: 'reasoning', text: 'unsigned' },
          text('b'),
          { ...call('1'), opaque: foreign },
        ),
        user(result('1')),
      ],
    })
    expect(body['messages']).toMatchObject([
      {},
      {
        content: [
          { type: 'thinking', thinking: 'hm', signature: 'EqQB' },
          { type: 'redacted_thinking', data: 'EtE' },
          { type: 'thinking', thinking: 'n', signature: 'EqQB' },
          { type: 'text', text: 'b' },
          { type: 'tool_use', id: '1' },
        ],
      },
      {},
    ])
    expect(warnings).toEqual(['thinking_history_dropped'])
    expect(JSON.stringify(body)).not.toContain('theirs')
  })

  const argumentsOf: [sent: string, input: string][] = [
    ['', '{}'],
    ['{"b":1.0,"a":12345678901234567890}', '{"b":1.0,"a":12345678901234567890}'],
    ['{"a":', '{"_raw":"{\\"a\\":"}'],
    ['"x"', '{"_raw":"\\"x\\""}'],
    ['[1]', '{"_raw":"[1]"}'],
  ]
  test.each(argumentsOf)('arguments %j become %s', (sent, input) => {
    const { text: written, warnings } = encoded({
      turns: [user(text('a')), assistant(call('1', sent)), user(result('1'))],
    })
    expect(written).toContain(`"input":${input}`)
    expect(warnings).toEqual(input.includes('_raw') ? ['messages_arguments_wrapped'] : [])
  })

  test('of more than four marks the last ones of the conversation are kept, and those above it', () => {
    const mark = { cacheMark: { ttl: '5m' } } as const
    const { text: written, warnings } = encoded({
      system: [{ type: 'text', text: 's', ...mark }],
      tools: [{ ...tool, cacheMark: { ttl: '1h' } }],
      turns: ['1', '2', '3', '4'].map((words) => user({ type: 'text', text: words, ...mark })),
    })
    expect(written.match(/cache_control/g)).toHaveLength(4)
    expect(written).toContain('"text":"4","cache_control":{"type":"ephemeral"}')
    expect(written).toContain('"text":"s","cache_control":{"type":"ephemeral"}')
    expect(written).toContain('"ttl":"1h"')
    expect(written).not.toContain('"text":"2","cache_control"')
    expect(warnings).toEqual(['cache_control_dropped'])
  })
})

const media: [name: string, part: JsonObject, block: JsonObject | undefined][] = [
  [
    'an image',
    { kind: 'image', mime: 'image/png', source: { type: 'base64', data: 'x' } },
    { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'x' } },
  ],
  [
    'an image without a declared type',
    { kind: 'image', source: { type: 'base64', data: '/9j/4AAQ' } },
    { type: 'image', source: { type: 'base64', media_type: 'image/jpeg', data: '/9j/4AAQ' } },
  ],
  [
    'an image URL',
    { kind: 'image', source: { type: 'url', url: 'https://x/a' } },
    { type: 'image', source: { type: 'url', url: 'https://x/a' } },
  ],
  [
    'a bitmap',
    { kind: 'image', mime: 'image/bmp', source: { type: 'base64', data: 'x' } },
    undefined,
  ],
  [
    'a PDF',
    {
      kind: 'document',
      mime: 'application/pdf',
      source: { type: 'base64', data: 'x' },
      filename: 'a.pdf',
    },
    {
      type: 'document',
      source: { type: 'base64', media_type: 'application/pdf', data: 'x' },
      title: 'a.pdf',
    },
  ],
  [
    'a text document',
    { kind: 'document', mime: 'text/plain', source: { type: 'text', text: 'body' } },
    { type: 'document', source: { type: 'text', media_type: 'text/plain', data: 'body' } },
  ],
  [
    'a text document in base64',
    { kind: 'document', mime: 'text/markdown', source: { type: 'base64', data: 'w6Q=' } },
    { type: 'document', source: { type: 'text', media_type: 'text/plain', data: 'ä' } },
  ],
  [
    'a file of the vendor',
    { kind: 'image', source: { type: 'file', id: 'f', protocol: 'messages' } },
    { type: 'image', source: { type: 'file', file_id: 'f' } },
  ],
  [
    'a file of another vendor',
    { kind: 'image', source: { type: 'file', id: 'f', protocol: 'responses' } },
    undefined,
  ],
  [
    'a spreadsheet',
    { kind: 'document', mime: 'application/vnd.ms-excel', source: { type: 'base64', data: 'x' } },
    undefined,
  ],
  ['sound', { kind: 'audio', mime: 'audio/wav', source: { type: 'base64', data: 'x' } }, undefined],
  ['film', { kind: 'video', mime: 'video/mp4', source: { type: 'base64', data: 'x' } }, undefined],
]

describe('messages: media towards an upstream', () => {
  test.each([
    ['high', ['messages_detail_dropped']],
    ['auto', []],
  ] as const)('the image detail %s is dropped', (detail, warnings) => {
    const source = { type: 'url', url: 'https://x/a' } as const
    const part: Part = { type: 'media', kind: 'image', mime: undefined, source, detail }
    expect(encoded({ turns: [user(part)] }).warnings).toEqual([...warnings])
  })

  test.each(media)('%s', (_, fields, block) => {
    // Rows are abbreviated; the parts are complete.
    const part = { type: 'media', mime: undefined, ...fields } as unknown as Part
    const send = () => encoded({ turns: [user(part)] }).body['messages']
    if (block) expect(send()).toEqual([{ role: 'user', content: [block] }])
    else expect(send).toThrow('upstream of this model')
  })
})
