import { describe, expect, test } from 'bun:test'
import { bodyOf, decode, decodeCount } from './build.ts'

const user = { role: 'user', parts: [{ text: 'hi' }] }
const contents = [user]

const conversations: [what: string, contents: unknown, turns: unknown][] = [
  ['text', 'hi', [{ role: 'user', parts: [{ type: 'text', text: 'hi' }] }]],
  [
    'one content with one part and no role',
    { parts: { text: 'hi' } },
    [{ role: 'user', parts: [{ type: 'text', text: 'hi' }] }],
  ],
  ['empty parts and contents', [{ parts: [{ text: '' }, {}] }, { role: 'model', parts: [] }], []],
  [
    'a turn without text',
    [user, { role: 'model', parts: [{ text: 'a' }] }, { role: 'user', parts: [{ text: '' }] }],
    [
      { role: 'user', parts: [{ type: 'text', text: 'hi' }] },
      { role: 'assistant', parts: [{ type: 'text', text: 'a' }] },
      { role: 'user', parts: [{ type: 'text', text: '' }] },
    ],
  ],
  [
    'chunks of a stream that a client kept: one turn, one text',
    [
      { role: 'model', parts: [{ text: 'a' }] },
      { role: 'model', parts: [{ text: 'b' }, { text: '' }] },
    ],
    [{ role: 'assistant', parts: [{ type: 'text', text: 'ab' }] }],
  ],
  [
    'texts of the user stay separate',
    [{ parts: [{ text: 'a' }, { text: 'b' }] }],
    [
      {
        role: 'user',
        parts: [
          { type: 'text', text: 'a' },
          { type: 'text', text: 'b' },
        ],
      },
    ],
  ],
  [
    'media in both spellings',
    [
      {
        parts: [
          {
            inline_data: { mime_type: 'image/png', data: 'AA==' },
            mediaResolution: { level: 'MEDIA_RESOLUTION_HIGH' },
          },
          { inlineData: { mimeType: 'application/pdf', data: 'AA==' } },
          { inlineData: { mimeType: 'text/csv', data: 'YSxi' } },
          { fileData: { fileUri: 'https://example.com/cat.jpg?x=1' } },
          { file_data: { file_uri: 'https://www.youtube.com/watch?v=1' } },
          {
            fileData: {
              mimeType: 'audio/mp3',
              fileUri: 'https://api.example.com/v1beta/files/abc',
            },
          },
        ],
      },
    ],
    [
      {
        role: 'user',
        parts: [
          {
            kind: 'image',
            mime: 'image/png',
            source: { type: 'base64', data: 'AA==' },
            detail: 'high',
          },
          { kind: 'document', mime: 'application/pdf', source: { type: 'base64', data: 'AA==' } },
          { kind: 'document', mime: 'text/csv', source: { type: 'text', text: 'a,b' } },
          {
            kind: 'image',
            mime: undefined,
            source: { type: 'url', url: 'https://example.com/cat.jpg?x=1' },
          },
          { kind: 'video', source: { type: 'url', url: 'https://www.youtube.com/watch?v=1' } },
          {
            kind: 'audio',
            source: {
              type: 'file',
              id: 'https://api.example.com/v1beta/files/abc',
              protocol: 'generate-content',
            },
          },
        ],
      },
    ],
  ],
]

describe('the conversation', () => {
  test.each(conversations)('%s', (_, sent, turns) => {
    expect(decode({ contents: sent }).turns).toMatchObject(turns as object[])
    expect(decode({ contents: sent }).turns).toHaveLength((turns as object[]).length)
  })

  test('an unknown role is a 400', () => {
    expect(() => decode({ contents: [user, { role: 'developer', parts: [] }] })).toThrow(
      'contents[1].role',
    )
  })

  test('all parts of the instructions, as text or as parts', () => {
    const parts = [
      { type: 'text', text: 'a' },
      { type: 'text', text: 'b' },
    ] as const
    expect(
      decode({ contents, system_instruction: { parts: [{ text: 'a' }, { text: 'b' }] } }).system,
    ).toEqual([...parts])
    expect(decode({ contents, systemInstruction: 'a' }).system).toEqual([parts[0]])
  })

  test('a resolution of the whole request applies to images without their own', () => {
    const { turns, extras } = decode({
      contents: [{ parts: [{ inlineData: { mimeType: 'image/png', data: '' } }] }],
      generationConfig: { mediaResolution: 'MEDIA_RESOLUTION_LOW' },
    })
    expect(turns[0]?.parts[0]).toMatchObject({ detail: 'low' })
    expect(extras).toEqual({})
  })
})

test('a count is requested for contents alone or for a whole request', () => {
  const inner = { contents: 'hi', systemInstruction: 'be brief' }
  expect(decodeCount(inner).system).toHaveLength(1)
  expect(decodeCount({ generateContentRequest: inner })).toEqual(decodeCount(inner))
  expect(bodyOf({ generate_content_request: inner }).value).toBeDefined()
  expect(decodeCount({ generate_content_request: inner })).toEqual(decodeCount(inner))
})
