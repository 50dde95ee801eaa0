import { describe, expect, test } from 'bun:test'
import type { ProtocolName } from '../../../src/core/neutral/protocol-name.ts'
import { conversationName } from '../../../src/gateway/admit/conversation-name.ts'
import { protocols } from '../../../src/protocols/index.ts'
import type { JsonObject } from '../../../src/wire/json.ts'

const name = (body: JsonObject, headers: Record<string, string> = {}) =>
  conversationName(new Headers(headers), body, protocols[protocolOf(body)].opening)

function protocolOf(body: JsonObject): ProtocolName {
  if ('contents' in body) return 'generate-content'
  if ('input' in body) return 'responses'
  return 'system' in body ? 'messages' : 'chat-completions'
}

const user = (content: unknown) => ({ role: 'user', content })
const assistant = { role: 'assistant', content: 'Hello.' }

describe('the name of a conversation', () => {
  const all = {
    prompt_cache_key: 'their key',
    metadata: { user_id: 'their user' },
    messages: [user('Hi')],
  }
  const { prompt_cache_key: _, ...withoutKey } = all
  const rows: [string, string, JsonObject, Record<string, string>][] = [
    ['the cache key takes precedence', 'cache their key', all, { 'session-id': 's' }],
    ['Codex', 'session s', withoutKey, { 'session-id': 's' }],
    ['Claude Code', 'session s', withoutKey, { 'x-claude-code-session-id': 's' }],
    ['opencode', 'session s', withoutKey, { 'x-session-id': 's' }],
    ['pi', 'session s', withoutKey, { session_id: 's' }],
    ['the end user', 'user their user', withoutKey, {}],
  ]
  test.each(rows)('%s', (_, expected, body, headers) => {
    expect(name(body, headers)).toBe(expected)
  })

  test('an empty or missing name is ignored', () => {
    const body = { messages: [user('Hi')] }
    for (const odd of ['', null, 7, {}]) {
      expect(name({ ...body, prompt_cache_key: odd })).toBe(name(body))
      expect(name({ ...body, metadata: { user_id: odd } })).toBe(name(body))
    }
  })
})

describe('the name by the first message', () => {
  const rows: [string, JsonObject, JsonObject][] = [
    [
      'chat-completions',
      { messages: [{ role: 'system', content: 'Be brief.' }, user('Hi')] },
      { messages: [{ role: 'system', content: 'Be brief.' }, user('Hi'), assistant, user('And?')] },
    ],
    [
      'responses',
      { instructions: 'Be brief.', input: [user([{ type: 'input_text', text: 'Hi' }])] },
      {
        instructions: 'Be brief.',
        input: [user([{ type: 'input_text', text: 'Hi' }]), assistant, user('And?')],
      },
    ],
    [
      'messages, whose marks move',
      { system: [{ text: 'Be brief.' }], messages: [user('Hi')] },
      {
        system: [{ text: 'Be brief.', cache_control: { type: 'ephemeral' } }],
        messages: [user('Hi'), assistant, user('And?')],
      },
    ],
    [
      'generate-content',
      {
        systemInstruction: { parts: [{ text: 'Be brief.' }] },
        contents: [{ parts: [{ text: 'Hi' }] }],
      },
      {
        systemInstruction: { parts: [{ text: 'Be brief.' }] },
        contents: [{ parts: [{ text: 'Hi' }] }, { role: 'model', parts: [{ text: 'Hello.' }] }],
      },
    ],
  ]
  test.each(rows)('%s: stays the same as the conversation continues', (_, first, later) => {
    expect(name(later)).toBe(name(first))
  })

  test('distinguishes conversations by system prompt and first user message', () => {
    const bodies = [
      { messages: [user('Hi')] },
      { messages: [user('Ho')] },
      { messages: [{ role: 'system', content: 'Be brief.' }, user('Hi')] },
      { system: 'Be brief.', messages: [user('Hi')] },
      { system: 'Be long.', messages: [user('Hi')] },
      { input: 'Hi there' },
    ]
    expect(new Set(bodies.map((body) => name(body))).size).toBe(bodies.length)
  })

  test('a long text is not read to its end, and unusual bodies have a name, too', () => {
    const long = 'x'.repeat(1_000_000)
    expect(name({ messages: [user(long)] })).toBe(name({ messages: [user(`${long}y`)] }))
    for (const body of [{}, { messages: 7 }, { messages: [null, 'x'] }, { contents: [] }]) {
      expect(name(body)).toStartWith('turns ')
    }
  })
})
