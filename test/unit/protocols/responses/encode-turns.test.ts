import { describe, expect, test } from 'bun:test'
import type { Part, Tool, ToolCallPart, Turn } from '../../../../src/core/neutral/model-request.ts'
import { encode, plainRequest, target } from './helpers.ts'

function itemsOf(...turns: readonly Turn[]) {
  const { value, warnings } = encode(plainRequest({ turns }))
  return { input: value['input'], warnings }
}
const user = (...parts: Part[]): Turn => ({ role: 'user', parts })
const assistant = (...parts: Part[]): Turn => ({ role: 'assistant', parts })
const text = (words: string): Part => ({ type: 'text', text: words })
const call: ToolCallPart = {
  type: 'tool-call',
  id: 'c1',
  name: 'f',
  form: 'function',
  argumentsText: '',
}
const own = { issuer: target.issuer, kind: 'sealed', data: 'gAAAA' } as const
const png = { type: 'base64', data: 'AAAA' } as const

describe('the items for a responses upstream', () => {
  const turns: [string, Turn[], unknown[], string[]][] = [
    ['a single text is a string', [user(text('hi'))], [{ role: 'user', content: 'hi' }], []],
    [
      'an empty user message is still a turn; empty text elsewhere is dropped',
      [
        user(text('hi'), text('')),
        assistant(text('so')),
        assistant(text('')),
        { role: 'system', parts: [text('')] },
        user(text('')),
        user(text(''), text('')),
      ],
      [
        { role: 'user', content: 'hi' },
        { role: 'assistant', content: 'so' },
        { role: 'user', content: '' },
        { role: 'user', content: '' },
      ],
      [],
    ],
    [
      'several parts are a list; no item has an id',
      [
        user(text('see'), {
          type: 'media',
          kind: 'image',
          mime: 'image/png',
          source: png,
          detail: 'low',
        }),
      ],
      [
        {
          role: 'user',
          content: [
            { type: 'input_text', text: 'see' },
            { type: 'input_image', image_url: 'data:image/png;base64,AAAA', detail: 'low' },
          ],
        },
      ],
      [],
    ],
    [
      'files: inline with a name, by URL, by the id of their own vendor',
      [
        user(
          { type: 'media', kind: 'document', mime: 'application/pdf', source: png },
          { type: 'media', kind: 'document', mime: undefined, source: { type: 'url', url: 'u' } },
          {
            type: 'media',
            kind: 'document',
            mime: undefined,
            source: { type: 'file', id: 'file-1', protocol: 'responses' },
          },
          {
            type: 'media',
            kind: 'document',
            mime: 'text/plain',
            title: 'T',
            source: { type: 'text', text: 'words' },
          },
        ),
      ],
      [
        {
          role: 'user',
          content: [
            {
              type: 'input_file',
              filename: 'document.pdf',
              file_data: 'data:application/pdf;base64,AAAA',
            },
            { type: 'input_file', file_url: 'u' },
            { type: 'input_file', file_id: 'file-1' },
            { type: 'input_text', text: 'T\n\nwords' },
          ],
        },
      ],
      [],
    ],
    [
      'a turn of reasoning, text and calls; missing arguments are an empty object',
      [assistant({ type: 'reasoning', text: 'why', opaque: own }, text('so'), call)],
      [
        {
          type: 'reasoning',
          summary: [{ type: 'summary_text', text: 'why' }],
          encrypted_content: 'gAAAA',
        },
        { role: 'assistant', content: 'so' },
        { type: 'function_call', call_id: 'c1', name: 'f', arguments: '{}' },
      ],
      [],
    ],
    [
      'encrypted content of the client’s own vendor is returned, too',
      [
        assistant(
          { type: 'reasoning', text: '', opaque: { ...own, issuer: 'native:responses' } },
          call,
        ),
      ],
      [
        { type: 'reasoning', summary: [], encrypted_content: 'gAAAA' },
        { type: 'function_call', call_id: 'c1', name: 'f', arguments: '{}' },
      ],
      [],
    ],
    [
      'reasoning of another vendor, or without encrypted content, is left out; text and calls stay',
      [
        assistant(
          { type: 'reasoning', text: 'a', opaque: { ...own, issuer: 'anthropic/claude' } },
          { type: 'reasoning', text: 'b' },
          text('so'),
        ),
      ],
      [{ role: 'assistant', content: 'so' }],
      ['reasoning_history_dropped'],
    ],
    [
      'signatures of another vendor are dropped',
      [
        assistant(
          { type: 'text', text: 'so', opaque: { ...own, issuer: 'google/gemini' } },
          { ...call, opaque: { ...own, issuer: 'google/gemini' } },
        ),
      ],
      [
        { role: 'assistant', content: 'so' },
        { type: 'function_call', call_id: 'c1', name: 'f', arguments: '{}' },
      ],
      ['reasoning_signature_dropped'],
    ],
    [
      'reasoning without a following item is left out, because the upstream refuses it',
      [assistant(text('so'), { type: 'reasoning', text: 'why', opaque: own }), user(text('hi'))],
      [
        { role: 'assistant', content: 'so' },
        { role: 'user', content: 'hi' },
      ],
      ['reasoning_history_dropped'],
    ],
    [
      'results: a string, a list with an image, a failure, a custom tool; then the text of the user',
      [
        user(
          {
            type: 'tool-result',
            callId: 'a',
            form: 'function',
            parts: [{ type: 'text', text: '1' }],
            isError: false,
          },
          {
            type: 'tool-result',
            callId: 'b',
            form: 'function',
            parts: [
              { type: 'text', text: '2' },
              { type: 'media', kind: 'image', mime: 'image/png', source: png },
            ],
            isError: false,
          },
          {
            type: 'tool-result',
            callId: 'c',
            form: 'function',
            parts: [{ type: 'text', text: '3' }],
            isError: true,
          },
          { type: 'tool-result', callId: 'd', form: 'custom', parts: [], isError: false },
          text('and'),
        ),
      ],
      [
        { type: 'function_call_output', call_id: 'a', output: '1' },
        {
          type: 'function_call_output',
          call_id: 'b',
          output: [
            { type: 'input_text', text: '2' },
            { type: 'input_image', image_url: 'data:image/png;base64,AAAA', detail: 'auto' },
          ],
        },
        { type: 'function_call_output', call_id: 'c', output: '[tool error] 3' },
        { type: 'custom_tool_call_output', call_id: 'd', output: '' },
        { role: 'user', content: 'and' },
      ],
      [],
    ],
    [
      'later instructions keep their position',
      [user(text('hi')), { role: 'system', parts: [text('be brief')] }],
      [
        { role: 'user', content: 'hi' },
        { role: 'system', content: 'be brief' },
      ],
      [],
    ],
    [
      'hosted tool calls are returned to their own protocol only',
      [
        assistant(
          { type: 'hosted', protocol: 'responses', json: '{"type":"web_search_call","n":1.0}' },
          { type: 'hosted', protocol: 'messages', json: '{}' },
          text('so'),
        ),
      ],
      [
        { type: 'web_search_call', n: 1 },
        { role: 'assistant', content: 'so' },
      ],
      ['input_hosted_dropped'],
    ],
    [
      'cache marks are left out',
      [user({ type: 'text', text: 'hi', cacheMark: { ttl: '5m' } })],
      [{ role: 'user', content: 'hi' }],
      ['prompt_cache_breakpoint_dropped'],
    ],
  ]
  test.each(turns)('%s', (_, list, input, warnings) => {
    expect(itemsOf(...list)).toEqual({ input, warnings })
  })

  test('arguments and schemas keep their spelling, and the same request gives the same bytes', () => {
    const tools: Tool[] = [
      {
        type: 'function',
        name: 'f',
        description: undefined,
        schema: '{"maximum":1.0}',
        isStrict: undefined,
      },
    ]
    const request = plainRequest({
      tools,
      turns: [assistant({ ...call, argumentsText: '{"n":12345678901234567890}' })],
    })
    const { text: body } = encode(request)
    expect(body).toContain('"parameters":{"maximum":1.0}')
    expect(body).toContain('{\\"n\\":12345678901234567890}')
    expect(encode(request).text).toBe(body)
  })
})
