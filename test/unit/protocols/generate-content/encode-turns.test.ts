import { describe, expect, test } from 'bun:test'
import { Fault } from '../../../../src/core/fault.ts'
import type { Part, ToolResultPart, Turn } from '../../../../src/core/neutral/model-request.ts'
import type { ModelTraits } from '../../../../src/protocols/model-traits.ts'
import { encode } from './build.ts'

const older: ModelTraits = { takesCallIds: false, schemaForm: 'classic', thinking: 'budget' }
const text = (words: string): Part => ({ type: 'text', text: words })
const call = (id: string, more: object = {}): Part => ({
  type: 'tool-call',
  id,
  name: `f_${id}`,
  form: 'function',
  argumentsText: '{}',
  ...more,
})
const result = (callId: string, more: Partial<ToolResultPart> = {}): ToolResultPart => ({
  type: 'tool-result',
  callId,
  name: `f_${callId}`,
  form: 'function',
  parts: [{ type: 'text', text: 'ok' }],
  isError: false,
  ...more,
})
const asked: Turn = { role: 'user', parts: [text('hi')] }
const contentsOf = (turns: Turn[], traits: ModelTraits = {}) =>
  encode({ turns }, traits).value['contents']

describe('contents', () => {
  test('consecutive turns of one role are one content; instructions between turns keep their position', () => {
    const turns: Turn[] = [
      asked,
      { role: 'system', parts: [text('be brief')] },
      { role: 'user', parts: [text('')] },
      { role: 'assistant', parts: [text('a')] },
      { role: 'assistant', parts: [text('b'), { type: 'refusal', text: 'no' }] },
    ]
    expect(contentsOf(turns)).toEqual([
      {
        role: 'user',
        parts: [{ text: 'hi' }, { text: '<system-reminder>\nbe brief\n</system-reminder>' }],
      },
      { role: 'model', parts: [{ text: 'a' }, { text: 'b' }, { text: 'no' }] },
    ])
  })

  test.each<[string, Turn[], unknown[]]>([
    [
      'last',
      [asked, { role: 'assistant', parts: [text('a')] }, { role: 'user', parts: [text('')] }],
      [
        { role: 'user', parts: [{ text: 'hi' }] },
        { role: 'model', parts: [{ text: 'a' }] },
        { role: 'user', parts: [{ text: 'Go on.' }] },
      ],
    ],
    [
      'the only turn',
      [{ role: 'user', parts: [text('')] }],
      [{ role: 'user', parts: [{ text: 'Go on.' }] }],
    ],
  ])('a turn without text stays a turn: %s', (_, turns, expected) => {
    const system = [{ type: 'text', text: 'be brief' }] as const
    const { value, warnings } = encode({ turns, system })
    expect(value['contents']).toEqual(expected)
    expect(value['systemInstruction']).toEqual({ parts: [{ text: 'be brief' }] })
    expect(warnings).toEqual(['contents_user_turn_added'])
  })

  test('instructions are beside the contents, or are the only content', () => {
    const system = [
      { type: 'text', text: 'a' },
      { type: 'text', text: 'b' },
    ] as const
    expect(encode({ system }).value).toMatchObject({
      systemInstruction: { parts: [{ text: 'a' }, { text: 'b' }] },
    })
    expect(encode({ system, turns: [] }).value).toEqual({
      contents: [{ role: 'user', parts: [{ text: 'a' }, { text: 'b' }] }],
    })
  })

  test('results come first, in the order of the calls, with ids if the model accepts them', () => {
    const turns: Turn[] = [
      asked,
      { role: 'assistant', parts: [call('a'), call('b')] },
      { role: 'user', parts: [text('and?'), result('b'), result('a')] },
    ]
    expect(contentsOf(turns, older)).toMatchObject([
      {},
      { parts: [{ functionCall: { name: 'f_a', args: {} } }, { functionCall: { name: 'f_b' } }] },
      {
        parts: [
          { functionResponse: { name: 'f_a' } },
          { functionResponse: { name: 'f_b' } },
          { text: 'and?' },
        ],
      },
    ])
    expect(JSON.stringify(contentsOf(turns, older))).not.toContain('"id"')
    expect(JSON.stringify(contentsOf(turns))).toContain('"functionResponse":{"id":"a","name":"f_a"')
  })

  const responses: [what: string, result: Partial<ToolResultPart>, response: string][] = [
    ['text', {}, '{"result":"ok"}'],
    [
      'several texts',
      {
        parts: [
          { type: 'text', text: 'a' },
          { type: 'text', text: 'b' },
        ],
      },
      '{"result":"a\\nb"}',
    ],
    ['text that is an object', { parts: [{ type: 'text', text: '{"n": 1.0}' }] }, '{"n": 1.0}'],
    ['text that is a list', { parts: [{ type: 'text', text: '[1]' }] }, '{"result":"[1]"}'],
    ['an error', { isError: true }, '{"error":"ok"}'],
    [
      'an object, sent unchanged',
      { json: '{"b": 1e2, "a":1}', isError: true },
      '{"b": 1e2, "a":1}',
    ],
    ['a list, sent unchanged', { json: '[1.0]' }, '{"result":[1.0]}'],
    ['nothing', { parts: [] }, '{"result":""}'],
  ]

  test.each(responses)('a result with %s', (_, more, response) => {
    const turns: Turn[] = [
      { role: 'assistant', parts: [call('a')] },
      { role: 'user', parts: [result('a', more)] },
    ]
    expect(encode({ turns }).text).toContain(`"response":${response}`)
  })

  test('images are inside a result for models that accept it, otherwise after all results', () => {
    const picture = {
      type: 'media',
      kind: 'image',
      mime: 'image/png',
      source: { type: 'base64', data: 'AA==' },
    } as const
    const turns: Turn[] = [
      { role: 'assistant', parts: [call('a'), call('b')] },
      { role: 'user', parts: [result('a', { parts: [picture] }), result('b')] },
    ]
    const inlineData = { mimeType: 'image/png', data: 'AA==' }
    expect(contentsOf(turns)).toMatchObject([
      {},
      { parts: [{ functionResponse: { parts: [{ inlineData }] } }, { functionResponse: {} }] },
    ])
    expect(contentsOf(turns, older)).toMatchObject([
      {},
      { parts: [{ functionResponse: {} }, { functionResponse: {} }, { inlineData }] },
    ])
  })

  const argumentRows: [given: string, args: string, warnings: string[]][] = [
    ['', '{}', []],
    ['{"n": 12345678901234567890, "a":1.0}', '{"n": 12345678901234567890, "a":1.0}', []],
    ['{"half":', '{"_raw":"{\\"half\\":"}', ['contents_arguments_wrapped']],
    ['[1]', '{"_raw":"[1]"}', ['contents_arguments_wrapped']],
  ]

  test.each(argumentRows)('arguments %j', (argumentsText, args, warnings) => {
    const encoded = encode({
      turns: [{ role: 'assistant', parts: [call('a', { argumentsText })] }],
    })
    expect(encoded.text).toContain(`"args":${args}`)
    expect(encoded.warnings).toEqual(warnings)
  })

  const media: [source: object, kind: string, mime: string | undefined, part: unknown][] = [
    [
      { type: 'base64', data: 'AA==' },
      'audio',
      'audio/mp3',
      { inlineData: { mimeType: 'audio/mp3', data: 'AA==' } },
    ],
    [
      { type: 'base64', data: 'AA==' },
      'document',
      undefined,
      { inlineData: { mimeType: 'application/pdf', data: 'AA==' } },
    ],
    [
      { type: 'url', url: 'https://e.com/a' },
      'image',
      undefined,
      { fileData: { fileUri: 'https://e.com/a' } },
    ],
    [{ type: 'text', text: 'words' }, 'document', 'text/plain', { text: 'words' }],
    [
      { type: 'file', id: 'gs://a', protocol: 'generate-content' },
      'video',
      'video/mp4',
      { fileData: { mimeType: 'video/mp4', fileUri: 'gs://a' } },
    ],
  ]

  test.each(media)('media %j', (source, kind, mime, part) => {
    const parts = [{ type: 'media', kind, mime, source } as Part]
    expect(contentsOf([{ role: 'user', parts }])).toEqual([{ role: 'user', parts: [part] }])
  })

  test('a file of another vendor is refused', () => {
    const source = { type: 'file', id: 'file-1', protocol: 'responses' } as const
    const parts: Part[] = [{ type: 'media', kind: 'image', mime: undefined, source }]
    expect(() => encode({ turns: [{ role: 'user', parts }] })).toThrow(Fault)
  })
})
