import { describe, expect, test } from 'bun:test'
import type { JsonObject } from '../../../src/wire/json.ts'
import { chatBody } from '../../support/gateway/ask.ts'
import { withGateway } from '../../support/gateway/with-gateway.ts'

const gateway = withGateway()

async function expectRefused(
  body: string | Uint8Array<ArrayBuffer> | JsonObject,
  expected: { param?: string | null; says?: string },
): Promise<void> {
  const { ask, one, two, money } = gateway()
  const before = await money.counts()
  const reply = await ask({ key: 'plain', method: 'POST', body })
  expect(reply.status).toBe(400)
  expect(reply.json).toEqual({
    error: {
      message: expect.stringContaining(expected.says ?? ''),
      type: 'invalid_request_error',
      param: expected.param ?? null,
      code: 'invalid_request',
    },
  })
  expect(reply.text.length).toBeLessThan(1_000)
  expect(await money.usageRow(reply.requestId)).toMatchObject({
    status: 400,
    reason: 'invalid_request',
    cost_nano: 0n,
  })
  expect([...one.requests, ...two.requests]).toEqual([])
  expect((await money.counts()).entries).toBe(before.entries)
}

const messages = '"messages":[{"role":"user","content":"hi"}]'
const deep = (levels: number) => `${'['.repeat(levels)}${']'.repeat(levels)}`

describe('not a request', () => {
  const rows: { name: string; body: string; says?: string }[] = [
    { name: 'an empty body', body: '', says: 'empty' },
    { name: 'blanks', body: ' \r\n\t ', says: 'empty' },
    { name: 'words', body: 'hello' },
    { name: 'a truncated object', body: '{"model":"gpt-x"' },
    { name: 'a truncated string', body: '{"model":"gpt-x' },
    { name: 'two objects', body: '{}{}' },
    { name: 'a trailing comma', body: `{"model":"gpt-x",${messages},}` },
    { name: 'single quotes', body: "{'model':'gpt-x'}" },
    { name: 'a comment', body: `{"model":"gpt-x",${messages} /* hi */}` },
    { name: 'NaN', body: `{"model":"gpt-x",${messages},"temperature":NaN}` },
    { name: 'form data', body: 'model=gpt-x&messages=hi' },
    { name: 'a list', body: '[]', says: 'not a JSON object' },
    { name: 'null', body: 'null', says: 'not a JSON object' },
    { name: 'a text', body: '"gpt-x"', says: 'not a JSON object' },
    { name: 'a number', body: '42', says: 'not a JSON object' },
    {
      name: 'a duplicate model',
      body: `{"model":"gpt-x",${messages},"model":"gpt-y"}`,
      says: 'appears twice',
    },
    {
      name: 'a duplicate model, once escaped',
      body: `{"model":"gpt-x",${messages},"mod\\u0065l":"gpt-y"}`,
      says: 'appears twice',
    },
    {
      name: 'a duplicate name, nested',
      body: '{"model":"gpt-x","messages":[{"role":"user","content":"a","content":"b"}]}',
      says: 'appears twice',
    },
    { name: '__proto__', body: `{"__proto__":{"model":"gpt-x"},${messages}}`, says: '__proto__' },
    {
      name: '__proto__, escaped and nested',
      body: '{"model":"gpt-x","messages":[{"role":"user","\\u005f_proto__":{"content":"hi"}}]}',
      says: '__proto__',
    },
    {
      name: '20 levels past the limit',
      body: `{"model":"gpt-x",${messages},"deep":${deep(148)}}`,
      says: 'deeper than 128 levels',
    },
    {
      name: 'a million levels',
      body: `{"model":"gpt-x",${messages},"deep":${deep(1_000_000)}}`,
      says: 'deeper than 128 levels',
    },
    { name: 'a million levels that never close', body: '['.repeat(1_000_000), says: 'deeper' },
  ]
  test.each(rows)('$name', ({ body, says = 'cannot be read' }) => expectRefused(body, { says }))

  const encoder = new TextEncoder()
  const bytes: [string, Uint8Array<ArrayBuffer>][] = [
    ['a lone byte', new Uint8Array([0xff])],
    [
      'a truncated character',
      encoder.encode(`{"model":"gpt-x",${messages},"user":"ü"}`).slice(0, -3),
    ],
    ['an overlong slash', new Uint8Array([...encoder.encode('{"a":"'), 0xc0, 0xaf, 0x22, 0x7d])],
    [
      'an encoded surrogate',
      new Uint8Array([...encoder.encode('{"a":"'), 0xed, 0xa0, 0x80, 0x22, 0x7d]),
    ],
    ['UTF-16', new Uint8Array(Buffer.from(`{"model":"gpt-x",${messages}}`, 'utf16le'))],
  ]
  test.each(bytes)('not UTF-8: %s', (_, body) => expectRefused(body, { says: 'cannot be read' }))

  test('at the maximum depth, it is forwarded', async () => {
    const { ask, one } = gateway()
    const body = `{"model":"gpt-x","max_tokens":10,${messages},"anything":${deep(127)}}`
    expect((await ask({ key: 'plain', body })).status).toBe(200)
    expect(one.requests[0]?.body).toBe(body)
  })
})

describe('a field of the wrong type', () => {
  const wrong: Record<string, readonly unknown[]> = {
    model: [undefined, null, '', 1, true, [], {}, ['gpt-x']],
    messages: [undefined, null, [], '', 'hi', {}, 1],
    'messages[0]': ['hi', null, 1, []],
    'messages[0].role': [undefined, null, 1, {}],
    stream: ['true', 1, 0, {}, []],
    stream_options: ['x', 1, [], true],
    max_tokens: ['1', -1, 1.5, 1e300, {}, [], true],
    max_completion_tokens: ['1', -1, 1.5, 1e300, {}],
    n: ['1', 0, -1, 1.5, 129, 1e9, {}],
  }
  const rows = Object.entries(wrong).flatMap(([field, values]) =>
    values.map((value) => ({ field, value, shown: JSON.stringify(value) ?? 'absent' })),
  )
  test.each(rows)('$field: $shown', ({ field, value }) => {
    if (field === 'messages[0]')
      return expectRefused(chatBody({ messages: [value] }), { param: field })
    if (field === 'messages[0].role') {
      const body = chatBody({ messages: [{ role: value, content: 'hi' }] })
      return expectRefused(body, { param: field })
    }
    return expectRefused(chatBody({ [field]: value }), { param: field, says: field })
  })

  test('null counts as not sent', async () => {
    const { ask, one } = gateway()
    const body = chatBody({
      stream: null,
      stream_options: null,
      n: null,
      max_completion_tokens: null,
    })
    expect((await ask({ key: 'plain', body })).status).toBe(200)
    expect(one.requests[0]?.body).toBe(JSON.stringify(body))
  })

  test('fields that only the upstream knows are forwarded unchecked', async () => {
    const { ask, one } = gateway()
    const body = chatBody({ stop: 7, verbosity: ['loud'], anything: { at: ['all'] } })
    expect((await ask({ key: 'plain', body })).status).toBe(200)
    expect(one.requests[0]?.body).toBe(JSON.stringify(body))
  })
})
