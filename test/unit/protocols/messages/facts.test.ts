import { describe, expect, test } from 'bun:test'
import { asFault } from '../../../../src/core/fault.ts'
import { messages } from '../../../../src/protocols/messages/index.ts'
import type { JsonObject } from '../../../../src/wire/json.ts'
import { bodyOf, least, path } from './helpers.ts'

function faultOf(fields: JsonObject) {
  try {
    messages.passThrough.decodeFacts(bodyOf(JSON.stringify(fields)), path)
  } catch (error) {
    return asFault(error)
  }
  return undefined
}

const user = { role: 'user', content: 'Hi' }

const bad: [name: string, fields: JsonObject, param: string][] = [
  ['no model', { ...least, model: undefined }, 'model'],
  ['an empty model', { ...least, model: '' }, 'model'],
  ['a number as the model', { ...least, model: 4 }, 'model'],
  ['no output limit', { ...least, max_tokens: undefined }, 'max_tokens'],
  ['an output limit as text', { ...least, max_tokens: '100' }, 'max_tokens'],
  ['a negative output limit', { ...least, max_tokens: -1 }, 'max_tokens'],
  ['no messages', { ...least, messages: undefined }, 'messages'],
  ['an empty list of messages', { ...least, messages: [] }, 'messages'],
  ['messages as text', { ...least, messages: 'Hi' }, 'messages'],
  ['a message as text', { ...least, messages: [user, 'Hi'] }, 'messages[1]'],
  ['a role of another protocol', { ...least, messages: [{ role: 'tool' }] }, 'messages[0].role'],
  ['no role', { ...least, messages: [{ content: 'Hi' }] }, 'messages[0].role'],
  ['no content', { ...least, messages: [user, { role: 'user' }] }, 'messages[1].content'],
  [
    'content as an object',
    { ...least, messages: [{ role: 'user', content: { text: 'Hi' } }] },
    'messages[0].content',
  ],
  [
    'a block as text',
    { ...least, messages: [{ role: 'user', content: ['Hi'] }] },
    'messages[0].content[0]',
  ],
  [
    'a block without a type',
    { ...least, messages: [{ role: 'user', content: [{ text: 'Hi' }] }] },
    'messages[0].content[0].type',
  ],
  ['system as a number', { ...least, system: 1 }, 'system'],
  ['stream as text', { ...least, stream: 'yes' }, 'stream'],
  ['temperature as text', { ...least, temperature: '1' }, 'temperature'],
  ['tools as an object', { ...least, tools: {} }, 'tools'],
  ['a tool choice as text', { ...least, tool_choice: 'auto' }, 'tool_choice'],
  ['thinking as true', { ...least, thinking: true }, 'thinking'],
  ['stop sequences as text', { ...least, stop_sequences: 'END' }, 'stop_sequences'],
]

describe('messages: the facts of a request', () => {
  test.each(bad)('%s is refused by name', (_, fields, param) => {
    const fault = faultOf(fields)
    expect(fault?.status).toBe(400)
    expect(fault?.code).toBe('invalid_request')
    expect(fault?.details.param).toBe(param)
  })

  test('null counts as not sent', () => {
    const fields = { ...least, system: null, tools: null, thread: null, stream: null, top_p: null }
    expect(faultOf(fields)).toBeUndefined()
  })

  test('facts', () => {
    const body = bodyOf(JSON.stringify({ ...least, stream: true }))
    expect(messages.passThrough.decodeFacts(body, path)).toEqual({
      model: 'public-model',
      isStream: true,
      outputTokensMax: 1_000,
      answers: 1,
      wantsStreamUsage: true,
      framing: 'sse',
    })
  })

  test.each([{ type: 'create' }, { type: 'continue', previous_message_id: 'msg_1' }])(
    'a thread %j is rejected with the code that its client understands',
    (thread) => {
      const fault = faultOf({ ...least, thread })
      if (!fault) throw new Error('the thread was accepted')
      expect(fault.status).toBe(400)
      expect(messages.encodeFault(fault, 'req-1')).toEqual({
        type: 'error',
        error: {
          type: 'invalid_request_error',
          message: fault.message,
          details: { error_code: 'thread_unsupported_request', unsupported: ['thread'] },
        },
        request_id: 'req-1',
      })
    },
  )
})

describe('messages: the forwarded body', () => {
  const target = { model: 'public-model', outputTokensMax: 64_000, traits: {} }
  const text =
    '{ "max_tokens" : 100000,\n "model":"public-model", "x": 1.0, "thinking":{"type":"enabled","budget_tokens":70000}, "messages":[{"role":"user","content":"Hi"}] }'
  const forward = (sent: string, to: Partial<typeof target>) => {
    const body = bodyOf(sent)
    const facts = messages.passThrough.decodeFacts(body, path)
    return messages.passThrough.encodeForward(body, facts, { ...target, ...to })
  }

  test('no byte is changed without need', () => {
    expect(forward(text, { outputTokensMax: 100_000 })).toBe(text)
  })

  test('only the model is replaced', () => {
    const forwarded = forward(text, { outputTokensMax: 200_000, model: 'claude-x' })
    expect(forwarded).toBe(text.replace('"model":"public-model"', '"model":"claude-x"'))
  })

  test('a limit that the model does not have is lowered, and the budget below it', () => {
    expect(forward(text, {})).toBe(
      text.replace('100000', '64000').replace('"budget_tokens":70000', '"budget_tokens":63999'),
    )
  })

  test('the forwarded headers', () => {
    expect(messages.passThrough.forwardedHeaders).toEqual(['anthropic-version', 'anthropic-beta'])
  })
})

describe('messages: counting', () => {
  const { counting } = messages
  if (!counting) throw new Error('messages has no token counting')

  test('a request to count needs no limit', () => {
    const body = bodyOf('{"model":"m","messages":[{"role":"user","content":"Hi"}]}')
    const facts = counting.decodeCount(body, path)
    expect(facts).toMatchObject({ model: 'm', isStream: false, outputTokensMax: undefined })
    expect(counting.decodeCountRequest(body, facts).turns).toHaveLength(1)
    expect(counting.encodeForward(body, facts, { ...noLimit, model: 'claude-x' })).toBe(
      '{"model":"claude-x","messages":[{"role":"user","content":"Hi"}]}',
    )
  })

  test('fields for an answer are omitted from a count', () => {
    const counted = counting.encodeCountRequest(
      '{"model":"m","max_tokens":5,"stream":true,"messages":[{"role":"user","content":"{\\"max_tokens\\""}],"temperature":1.0,"metadata":{"user_id":"u"},"tools":[{"name":"t","input_schema":{"type":"object","x":1.0}}]}',
      'm',
    )
    expect(counted).toBe(
      '{"model":"m","messages":[{"role":"user","content":"{\\"max_tokens\\""}],"tools":[{"name":"t","input_schema":{"type":"object","x":1.0}}]}',
    )
  })

  test('the count itself', () => {
    expect(counting.readCount({ input_tokens: 7 })).toBe(7)
    expect(counting.readCount({ totalTokens: 7 })).toBeUndefined()
    expect(counting.readCount('7')).toBeUndefined()
    expect(counting.encodeCount(7)).toEqual({ input_tokens: 7 })
  })
})

const noLimit = { outputTokensMax: 1_000_000, traits: {} }
