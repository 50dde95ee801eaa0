import { describe, expect, test } from 'bun:test'
import { asFault } from '../../../../src/core/fault.ts'
import type { Part } from '../../../../src/core/neutral/model-request.ts'
import { sealOpaque } from '../../../../src/protocols/fit/seal-opaque.ts'
import { unsignedMark } from '../../../../src/protocols/messages/values/opaque.ts'
import type { JsonObject } from '../../../../src/wire/json.ts'
import { decoded } from './helpers.ts'

const google = { issuer: 'google/gemini', kind: 'signature', data: 'Ci+/=' } as const
const openai = { issuer: 'openai/gpt', kind: 'sealed', data: 'gAAAA' } as const

function partsOf(...content: JsonObject[]): readonly Part[] {
  const request = decoded({ messages: [{ role: 'assistant', content }] })
  return request.turns[0]?.parts ?? []
}

const image = { type: 'base64', media_type: 'image/png', data: 'iVBO' }
const call = { type: 'tool_use', id: 'toolu_1', name: 'f', input: {} }

const blocks: [name: string, content: JsonObject[], parts: unknown[]][] = [
  [
    'text with a cache mark',
    [{ type: 'text', text: 'Hi', cache_control: { type: 'ephemeral', ttl: '1h' } }],
    [{ type: 'text', text: 'Hi', cacheMark: { ttl: '1h' } }],
  ],
  [
    'an image',
    [{ type: 'image', source: image }],
    [{ kind: 'image', mime: 'image/png', source: { type: 'base64', data: 'iVBO' } }],
  ],
  [
    'an image URL',
    [{ type: 'image', source: { type: 'url', url: 'https://x/a.png' } }],
    [{ kind: 'image', mime: undefined, source: { type: 'url', url: 'https://x/a.png' } }],
  ],
  [
    'a file of the vendor',
    [{ type: 'image', source: { type: 'file', file_id: 'file_1' } }],
    [{ source: { type: 'file', id: 'file_1', protocol: 'messages' } }],
  ],
  [
    'a PDF',
    [
      {
        type: 'document',
        source: { type: 'base64', media_type: 'application/pdf', data: 'JVBE' },
        title: 'T',
      },
    ],
    [{ kind: 'document', mime: 'application/pdf', title: 'T' }],
  ],
  [
    'a text document with title and context',
    [
      {
        type: 'document',
        source: { type: 'text', media_type: 'text/plain', data: 'body' },
        context: 'from the archive',
      },
    ],
    [
      { type: 'text', text: 'from the archive' },
      { kind: 'document', mime: 'text/plain', source: { type: 'text', text: 'body' } },
    ],
  ],
  [
    'a document made of blocks',
    [
      {
        type: 'document',
        source: {
          type: 'content',
          content: [
            { type: 'text', text: 'a' },
            { type: 'image', source: image },
            { type: 'text', text: 'b' },
          ],
        },
      },
    ],
    [{ kind: 'document', source: { type: 'text', text: 'a\n\nb' } }, { kind: 'image' }],
  ],
  [
    'a search result',
    [
      {
        type: 'search_result',
        title: 'T',
        source: 'https://x',
        content: [{ type: 'text', text: 'found' }],
      },
    ],
    [{ type: 'text', text: 'T\nhttps://x\nfound' }],
  ],
  [
    'a result as text',
    [{ type: 'tool_result', tool_use_id: 'toolu_1', content: 'ok' }],
    [
      {
        type: 'tool-result',
        callId: 'toolu_1',
        form: 'function',
        parts: [{ type: 'text', text: 'ok' }],
        isError: false,
      },
    ],
  ],
  [
    'a result without content that failed',
    [{ type: 'tool_result', tool_use_id: 'toolu_1', is_error: true }],
    [{ type: 'tool-result', parts: [], isError: true }],
  ],
  [
    'a result with an image',
    [
      {
        type: 'tool_result',
        tool_use_id: 'toolu_1',
        content: [
          { type: 'text', text: 'see' },
          { type: 'image', source: image },
        ],
      },
    ],
    [
      {
        parts: [
          { type: 'text', text: 'see' },
          { type: 'media', kind: 'image' },
        ],
      },
    ],
  ],
  [
    'native reasoning',
    [{ type: 'thinking', thinking: 'hm', signature: 'EqQB' }],
    [
      {
        type: 'reasoning',
        text: 'hm',
        opaque: { issuer: 'native:messages', kind: 'signature', data: 'EqQB' },
      },
    ],
  ],
  [
    'native reasoning without text, before a call',
    [{ type: 'thinking', thinking: '', signature: 'EqQB' }, call],
    [
      { type: 'reasoning', opaque: { issuer: 'native:messages' } },
      { type: 'tool-call', opaque: undefined },
    ],
  ],
  [
    'native encrypted reasoning',
    [{ type: 'redacted_thinking', data: 'EtE' }],
    [{ text: '', opaque: { issuer: 'native:messages', kind: 'sealed', data: 'EtE' } }],
  ],
  [
    'reasoning of another vendor',
    [{ type: 'thinking', thinking: 'sum', signature: sealOpaque(openai) }],
    [{ type: 'reasoning', text: 'sum', opaque: openai }],
  ],
  [
    'reasoning blocks that a client has joined',
    [
      {
        type: 'thinking',
        thinking: 'sum',
        signature: unsignedMark + sealOpaque(openai) + sealOpaque(google),
      },
    ],
    [
      { type: 'reasoning', text: 'sum', opaque: openai },
      { type: 'reasoning', text: '', opaque: google },
    ],
  ],
  [
    'encrypted reasoning of another vendor',
    [{ type: 'redacted_thinking', data: sealOpaque(openai) }],
    [{ type: 'reasoning', text: '', opaque: openai }],
  ],
  [
    'the signature of a call',
    [{ type: 'thinking', thinking: '', signature: sealOpaque(google) }, call, call],
    [
      { type: 'tool-call', opaque: google },
      { type: 'tool-call', opaque: undefined },
    ],
  ],
  [
    'the signature of a text',
    [{ type: 'text', text: 'Hi' }, { type: 'redacted_thinking', data: sealOpaque(google) }, call],
    [
      { type: 'text', text: 'Hi', opaque: google },
      { type: 'tool-call', opaque: undefined },
    ],
  ],
  [
    'unsigned reasoning',
    [
      {
        type: 'thinking',
        thinking: 'hm',
        signature: sealOpaque({ issuer: 'gateway', kind: 'signature', data: '' }),
      },
      { type: 'thinking', thinking: 'hm', signature: '' },
    ],
    [
      { type: 'reasoning', text: 'hm', opaque: undefined },
      { type: 'reasoning', text: 'hm', opaque: undefined },
    ],
  ],
  [
    'a tool that the vendor executed',
    [{ type: 'server_tool_use', id: 'srvtoolu_1', name: 'web_search', input: { query: 'x' } }],
    [
      {
        type: 'hosted',
        protocol: 'messages',
        json: '{"type":"server_tool_use","id":"srvtoolu_1","name":"web_search","input":{"query":"x"}}',
      },
    ],
  ],
]

describe('messages: blocks of a request', () => {
  test.each(blocks)('%s', (_, content, parts) => {
    const seen = partsOf(...content)
    expect(seen).toHaveLength(parts.length)
    expect(seen).toMatchObject(parts)
  })

  test('arguments and schemas keep their spelling and the order of their keys', () => {
    const input = '{"z":1.0,"a":12345678901234567890,"2":-0,"1":1e400}'
    const schema = '{"type":"object","properties":{"2":{"minimum":1.0},"1":{}}}'
    const request = decoded(
      `{"model":"m","max_tokens":1,"tools":[{"name":"f","input_schema":${schema}}],"output_config":{"format":{"type":"json_schema","schema":${schema}}},"messages":[{"role":"assistant","content":[{"type":"tool_use","id":"a","name":"f","input":${input}}]}]}`,
    )
    expect(request.turns[0]?.parts).toMatchObject([{ argumentsText: input }])
    expect(request.tools).toMatchObject([{ schema }])
    expect(request.format).toMatchObject({ schema })
  })

  const bad: [name: string, block: JsonObject, param: string][] = [
    ['a text block without text', { type: 'text' }, 'text'],
    ['a call without a name', { ...call, name: undefined }, 'name'],
    ['a call without an id', { ...call, id: '' }, 'id'],
    ['arguments as text', { ...call, input: 'x' }, 'input'],
    ['an image without a source', { type: 'image' }, 'source'],
    ['an unknown source', { type: 'image', source: { type: 'ftp' } }, 'source.type'],
    ['a result without a call id', { type: 'tool_result', content: 'x' }, 'tool_use_id'],
    ['a result as a number', { type: 'tool_result', tool_use_id: 'a', content: 1 }, 'content'],
  ]
  test.each(bad)('%s is refused by name', (_, block, param) => {
    expect.assertions(2)
    try {
      partsOf({ type: 'text', text: 'x' }, block)
    } catch (error) {
      expect(asFault(error).status).toBe(400)
      expect(asFault(error).details.param).toBe(`messages[0].content[1].${param}`)
    }
  })
})
