import { describe, expect, test } from 'bun:test'
import type { ProtocolName } from '../../../../src/core/neutral/protocol-name.ts'
import { protocols } from '../../../../src/protocols/index.ts'
import { Notes } from '../../../../src/protocols/notes.ts'
import type { Target } from '../../../../src/protocols/translation.ts'
import { writeJson } from '../../../../src/wire/exact-json.ts'
import type { JsonObject } from '../../../../src/wire/json.ts'
import { scanJson } from '../../../../src/wire/scan-json.ts'
import { requestOf, turn, text as words } from '../fits/build-request.ts'

function decode(name: ProtocolName, value: JsonObject): Readonly<Record<string, unknown>> {
  const { translation, passThrough } = protocols[name]
  const text = JSON.stringify(value)
  const scan = scanJson(text, 128)
  if (!scan.ok) throw new Error(`not a body: ${text}`)
  const body = { text, value, members: scan.members }
  const path = { model: 'm', isStream: undefined, framing: 'sse' } as const
  return { ...translation.decodeRequest(body, passThrough.decodeFacts(body, path)) }
}

const marked = { cache_control: { type: 'ephemeral', ttl: '1h' } }
const cacheMark = { ttl: '1h' }
const data = { type: 'base64', media_type: 'image/png', data: 'iVBORw0KGgo=' }
const use = { type: 'tool_use', id: 'toolu_1', name: 'f', input: {} }
const result = { type: 'tool_result', tool_use_id: 'toolu_1', content: 'ok' }

describe('cache_control on each block of messages', () => {
  const rows: readonly (readonly [role: string, block: JsonObject])[] = [
    ['user', { type: 'text', text: 'a' }],
    ['user', { type: 'image', source: data }],
    ['user', { type: 'document', source: { type: 'text', media_type: 'text/plain', data: 'a' } }],
    ['user', { type: 'document', source: { type: 'content', content: 'a' } }],
    [
      'user',
      { type: 'search_result', title: 't', source: 's', content: [{ type: 'text', text: 'a' }] },
    ],
    ['assistant', use],
    ['user', result],
  ]
  test.each(rows)('%s: %j', (role, block) => {
    const partsWith = (sent: JsonObject) => {
      const before = block === result ? [{ role: 'assistant', content: [use] }] : []
      const messages = [...before, { role, content: [sent] }]
      const { turns } = decode('messages', { model: 'm', max_tokens: 9, messages })
      if (!Array.isArray(turns)) throw new Error('the request has no turns')
      return (turns.at(-1) as { parts: readonly JsonObject[] }).parts
    }
    expect(partsWith({ ...block, ...marked })).toEqual([expect.objectContaining({ cacheMark })])
    expect(partsWith(block).some((part) => part['cacheMark'] !== undefined)).toBe(false)
  })
})

describe('citations of messages', () => {
  const documentWith = (citations: unknown) => ({
    model: 'm',
    max_tokens: 9,
    messages: [
      {
        role: 'user',
        content: [
          {
            type: 'document',
            source: { type: 'text', media_type: 'text/plain', data: 'a' },
            citations,
          },
        ],
      },
    ],
  })
  test.each([
    [{ enabled: true }, { enabled: true }],
    [{ enabled: false }, undefined],
    [{}, undefined],
    [undefined, undefined],
  ])('%j', (citations, extra) => {
    const { extras } = decode('messages', documentWith(citations))
    expect((extras as JsonObject)['citations']).toEqual(extra)
  })
})

describe('a tool choice in each form that clients write', () => {
  const rows: readonly (readonly [name: ProtocolName, sent: unknown, read: unknown])[] = [
    ['responses', 'auto', { type: 'auto' }],
    ['responses', '', undefined],
    ['responses', { type: 'auto' }, { type: 'auto' }],
    ['responses', { type: 'required' }, { type: 'required' }],
    ['responses', { type: 'none' }, { type: 'none' }],
    ['responses', { type: 'any' }, { type: 'required' }],
    ['responses', { type: 'function', name: 'f' }, { type: 'tool', name: 'f' }],
    ['responses', { type: 'custom', name: 'f' }, { type: 'tool', name: 'f' }],
    ['responses', { type: 'tool', name: 'f' }, { type: 'tool', name: 'f' }],
    ['responses', { name: 'f' }, { type: 'tool', name: 'f' }],
    ['responses', { type: 'function', function: { name: 'f' } }, { type: 'tool', name: 'f' }],
    ['responses', { type: 'custom', custom: { name: 'f' } }, { type: 'tool', name: 'f' }],
    [
      'responses',
      { type: 'function', name: 'f', namespace: 'n' },
      { type: 'tool', name: 'f', namespace: 'n' },
    ],
    ['responses', { type: 'web_search' }, { type: 'tool', name: 'web_search' }],
    [
      'responses',
      { type: 'allowed_tools', mode: 'required', tools: [{ type: 'custom', name: 'f' }] },
      { type: 'allowed', names: ['f'], isRequired: true },
    ],
    ['chat-completions', { type: 'auto' }, { type: 'auto' }],
    ['chat-completions', { type: 'required' }, { type: 'required' }],
    ['chat-completions', { type: 'none' }, { type: 'none' }],
    ['chat-completions', { type: 'any' }, { type: 'required' }],
    ['chat-completions', { type: 'custom', custom: { name: 'f' } }, { type: 'tool', name: 'f' }],
    [
      'chat-completions',
      {
        type: 'allowed_tools',
        allowed_tools: { mode: 'auto', tools: [{ type: 'custom', custom: { name: 'f' } }] },
      },
      { type: 'allowed', names: ['f'], isRequired: false },
    ],
  ]
  const tool = { type: 'function', name: 'f', function: { name: 'f' }, parameters: {} }
  test.each(rows)('%s: %j', (name, tool_choice, read) => {
    const talk = { input: 'Hi', messages: [{ role: 'user', content: 'Hi' }] }
    expect(decode(name, { model: 'm', ...talk, tools: [tool], tool_choice })['toolChoice']).toEqual(
      read,
    )
  })
})

describe('the limit of tool calls that the gateway sets', () => {
  const search = (protocol: ProtocolName, json: JsonObject) =>
    ({
      type: 'hosted',
      kind: 'web-search',
      name: 'web_search',
      protocol,
      json: JSON.stringify(json),
    }) as const

  function encode(name: ProtocolName, calls: NonNullable<Target['calls']>): string {
    const { translation } = protocols[name]
    const target: Target = {
      model: 'u',
      issuer: 'own/model',
      traits: {},
      outputTokensMax: 8_000,
      calls,
    }
    const tools = [search('generate-content', { googleSearch: {} })]
    const request = requestOf({ turns: [turn('user', words('Hi'))], tools })
    return writeJson(
      translation.encodeRequest(request, target, new Notes(translation.fieldNames, false)),
    )
  }

  test('is max_uses of each search of messages', () => {
    expect(encode('messages', { each: { webSearch: 3 } })).toContain('"max_uses":3')
  })

  test('is max_tool_calls of responses', () => {
    expect(encode('responses', { together: 4 })).toContain('"max_tool_calls":4')
  })
})
