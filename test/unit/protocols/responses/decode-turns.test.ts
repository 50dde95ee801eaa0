import { describe, expect, test } from 'bun:test'
import type { Opaque, Turn } from '../../../../src/core/neutral/model-request.ts'
import { gatewayIssuer, sealOpaque } from '../../../../src/protocols/fit/seal-opaque.ts'
import type { JsonObject } from '../../../../src/wire/json.ts'
import { decode } from './helpers.ts'

const sealThought = (data: string) => sealOpaque({ issuer: gatewayIssuer, kind: 'sealed', data })

const call = { type: 'function_call', id: 'fc_1', call_id: 'c1', name: 'f', arguments: '{"a":1}' }
const output = { type: 'function_call_output', call_id: 'c1', output: 'done' }
const callPart = {
  type: 'tool-call',
  id: 'c1',
  name: 'f',
  form: 'function',
  argumentsText: '{"a":1}',
} as const
const resultPart = {
  type: 'tool-result',
  callId: 'c1',
  form: 'function',
  parts: [{ type: 'text', text: 'done' }],
  isError: false,
} as const
const google: Opaque = { issuer: 'google/gemini', kind: 'signature', data: 'c2ln' }
const claude: Opaque = { issuer: 'anthropic/claude', kind: 'signature', data: 'EqQB' }
const user: Turn = { role: 'user', parts: [{ type: 'text', text: 'hi' }] }

const silent: Turn = { role: 'user', parts: [{ type: 'text', text: '' }] }

describe('the turns of a responses request', () => {
  const inputs: [string, unknown, unknown[]][] = [
    ['a string', 'hi', [user]],
    ['an empty string', '', [silent]],
    [
      'an empty user message is still a turn, as text and as parts',
      [
        { role: 'user', content: 'hi' },
        { role: 'assistant', content: 'so' },
        { role: 'user', content: '' },
        { role: 'user', content: [{ type: 'input_text', text: '' }] },
      ],
      [user, { role: 'assistant', parts: [{ type: 'text', text: 'so' }] }, silent, silent],
    ],
    [
      'an empty assistant message is not a turn',
      [
        { role: 'user', content: 'hi' },
        { role: 'assistant', content: '' },
      ],
      [user],
    ],
    ['a message without a type', [{ role: 'user', content: 'hi' }], [user]],
    [
      'parts; empty ones are dropped',
      [
        {
          type: 'message',
          role: 'user',
          content: [
            { type: 'input_text', text: '' },
            { type: 'input_text', text: 'hi' },
          ],
        },
      ],
      [user],
    ],
    [
      'consecutive reasoning, text and calls are one turn; so are consecutive results',
      [
        { role: 'user', content: 'hi' },
        { type: 'reasoning', summary: [{ type: 'summary_text', text: 'a' }], content: [] },
        { role: 'assistant', content: [{ type: 'output_text', text: 'so', annotations: [] }] },
        call,
        { ...call, call_id: 'c2' },
        output,
        { ...output, call_id: 'c2' },
        { role: 'user', content: 'hi' },
      ],
      [
        user,
        {
          role: 'assistant',
          parts: [
            { type: 'reasoning', text: 'a' },
            { type: 'text', text: 'so' },
            callPart,
            { ...callPart, id: 'c2' },
          ],
        },
        { role: 'user', parts: [resultPart, { ...resultPart, callId: 'c2' }] },
        user,
      ],
    ],
    [
      'a custom tool, its output as a list of parts',
      [
        { type: 'custom_tool_call', call_id: 'c', name: 'p', namespace: 'n', input: '*** Begin' },
        {
          type: 'custom_tool_call_output',
          call_id: 'c',
          output: [
            { type: 'input_text', text: 'ok' },
            { type: 'input_image', image_url: 'data:image/png;base64,AAAA' },
          ],
        },
      ],
      [
        {
          role: 'assistant',
          parts: [
            {
              type: 'tool-call',
              id: 'c',
              name: 'p',
              namespace: 'n',
              form: 'custom',
              argumentsText: '*** Begin',
            },
          ],
        },
        {
          role: 'user',
          parts: [
            {
              type: 'tool-result',
              callId: 'c',
              form: 'custom',
              isError: false,
              parts: [
                { type: 'text', text: 'ok' },
                {
                  type: 'media',
                  kind: 'image',
                  mime: 'image/png',
                  source: { type: 'base64', data: 'AAAA' },
                },
              ],
            },
          ],
        },
      ],
    ],
    [
      'arguments that are not JSON stay unchanged',
      [{ ...call, arguments: '{"a":' }],
      [{ role: 'assistant', parts: [{ ...callPart, argumentsText: '{"a":' }] }],
    ],
    [
      'instructions within the conversation keep their position',
      [
        { role: 'user', content: 'hi' },
        { role: 'developer', content: 'be brief' },
      ],
      [user, { role: 'system', parts: [{ type: 'text', text: 'be brief' }] }],
    ],
    [
      'a hosted tool call can only be returned to its own vendor',
      [{ type: 'web_search_call', id: 'ws_1', status: 'completed' }],
      [
        {
          role: 'assistant',
          parts: [
            {
              type: 'hosted',
              protocol: 'responses',
              json: '{"type":"web_search_call","id":"ws_1","status":"completed"}',
            },
          ],
        },
      ],
    ],
    [
      'reasoning encrypted by the same vendor',
      [{ type: 'reasoning', id: 'rs_1', summary: [], encrypted_content: 'gAAAA' }],
      [
        {
          role: 'assistant',
          parts: [
            {
              type: 'reasoning',
              text: '',
              opaque: { issuer: 'native:responses', kind: 'sealed', data: 'gAAAA' },
            },
          ],
        },
      ],
    ],
    [
      'reasoning of two parts, signed by another vendor',
      [
        {
          type: 'reasoning',
          summary: [
            { type: 'summary_text', text: 'a' },
            { type: 'summary_text', text: 'b' },
          ],
          encrypted_content: sealOpaque(claude),
        },
      ],
      [{ role: 'assistant', parts: [{ type: 'reasoning', text: 'a\n\nb', opaque: claude }] }],
    ],
    [
      'unsigned reasoning comes back without a token, from the envelope alone or beside its summary',
      [
        { type: 'reasoning', summary: [], encrypted_content: sealThought('why') },
        {
          type: 'reasoning',
          summary: [{ type: 'summary_text', text: 'and' }],
          encrypted_content: sealThought('and so'),
        },
        call,
      ],
      [
        {
          role: 'assistant',
          parts: [
            { type: 'reasoning', text: 'why' },
            { type: 'reasoning', text: 'and so' },
            callPart,
          ],
        },
      ],
    ],
    [
      'a signature for the next call, and only for the first of two',
      [
        { type: 'reasoning', summary: [], encrypted_content: `${sealOpaque(google)}.next` },
        call,
        { ...call, call_id: 'c2' },
      ],
      [
        {
          role: 'assistant',
          parts: [
            { ...callPart, opaque: google },
            { ...callPart, id: 'c2' },
          ],
        },
      ],
    ],
    [
      'a signature for the preceding text',
      [
        { role: 'assistant', content: 'so' },
        { type: 'reasoning', summary: [], encrypted_content: `${sealOpaque(google)}.last` },
      ],
      [{ role: 'assistant', parts: [{ type: 'text', text: 'so', opaque: google }] }],
    ],
    [
      'a signature without its call is dropped with the turn',
      [
        { type: 'reasoning', summary: [], encrypted_content: `${sealOpaque(google)}.next` },
        { role: 'user', content: 'hi' },
        call,
      ],
      [user, { role: 'assistant', parts: [callPart] }],
    ],
    [
      'reasoning without text or encrypted content is dropped',
      [{ type: 'reasoning', id: 'rs_1', content: [], summary: [] }],
      [],
    ],
    [
      'raw reasoning of an open model',
      [{ type: 'reasoning', summary: [], content: [{ type: 'reasoning_text', text: 'raw' }] }],
      [{ role: 'assistant', parts: [{ type: 'reasoning', text: 'raw' }] }],
    ],
    [
      'a refusal, and links in a text',
      [
        {
          role: 'assistant',
          content: [
            { type: 'refusal', refusal: 'no' },
            {
              type: 'output_text',
              text: 'see',
              annotations: [
                {
                  type: 'url_citation',
                  url: 'https://a',
                  title: 'A',
                  start_index: 0,
                  end_index: 3,
                },
                { type: 'file_citation', file_id: 'f' },
              ],
            },
          ],
        },
      ],
      [
        {
          role: 'assistant',
          parts: [
            { type: 'refusal', text: 'no' },
            {
              type: 'text',
              text: 'see',
              annotations: [{ url: 'https://a', title: 'A', start: 0, end: 3 }],
            },
          ],
        },
      ],
    ],
  ]
  test.each(inputs)('%s', (_, input, turns) => {
    expect(JSON.parse(JSON.stringify(decode({ input }).turns))).toEqual(turns)
  })

  test('instructions and leading system messages are the system prompt, in order', () => {
    const { system, turns } = decode({
      instructions: 'one',
      input: [
        { role: 'developer', content: 'two' },
        { type: 'additional_tools', role: 'developer', tools: [] },
        { role: 'system', content: [{ type: 'input_text', text: 'three' }] },
        { role: 'user', content: 'hi' },
      ],
    })
    expect(system.map(({ text }) => text)).toEqual(['one', 'two', 'three'])
    expect(turns).toEqual([user])
  })
})

describe('media in a responses request', () => {
  const parts: [string, JsonObject, unknown][] = [
    [
      'an image URL',
      { type: 'input_image', image_url: 'https://x/y.png', detail: 'low' },
      { kind: 'image', source: { type: 'url', url: 'https://x/y.png' }, detail: 'low' },
    ],
    [
      'an uploaded image',
      { type: 'input_image', file_id: 'file-1' },
      { kind: 'image', source: { type: 'file', id: 'file-1', protocol: 'responses' } },
    ],
    [
      'an inline document: its type comes from the data, not from the name',
      { type: 'input_file', filename: 'a.txt', file_data: 'data:application/pdf;base64,JVBE' },
      {
        kind: 'document',
        mime: 'application/pdf',
        filename: 'a.txt',
        source: { type: 'base64', data: 'JVBE' },
      },
    ],
    [
      'a document URL',
      { type: 'input_file', file_url: 'https://x/y.pdf' },
      { kind: 'document', source: { type: 'url', url: 'https://x/y.pdf' } },
    ],
    [
      'audio',
      { type: 'input_audio', input_audio: { data: 'AA', format: 'mp3' } },
      { kind: 'audio', mime: 'audio/mpeg', source: { type: 'base64', data: 'AA==' } },
    ],
  ]
  test.each(parts)('%s', (_, part, expected) => {
    const { turns } = decode({ input: [{ role: 'user', content: [part] }] })
    expect(JSON.parse(JSON.stringify(turns[0]?.parts[0]))).toEqual({
      type: 'media',
      ...(expected as object),
    })
  })
})
