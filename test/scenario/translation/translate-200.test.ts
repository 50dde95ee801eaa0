import { describe, expect, test } from 'bun:test'
import { parseJson } from '../../../src/wire/json.ts'
import type { RecordedRequest } from '../../support/fake-upstream/recorded-request.ts'
import { credentials, viaModel } from '../../support/gateway/test-provision.ts'
import { withGateway } from '../../support/gateway/with-gateway.ts'
import { readEvents } from '../../support/protocols/read-events.ts'
import { greeting, greetingText, prompt } from '../../support/protocols/test-protocol.ts'
import { allPairs, type Pair } from '../../support/protocols/test-protocols.ts'

const gateway = withGateway()

/** Headers that are meant for another vendor, or for no upstream. */
const foreign = {
  cookie: 'session=1',
  'x-forwarded-for': '9.9.9.9',
  'openai-organization': 'org-caller',
  'x-goog-user-project': 'project-caller',
  'user-agent': 'caller/1.0',
  'x-stainless-lang': 'js',
}

/** 600 new and 400 cached tokens in, 200 out: 1.5 + 0.5 + 2 million nano. */
const costNano = 4_000_000n

function expectOwnRequest(sent: RecordedRequest | undefined, { to }: Pair, isStream: boolean) {
  const model = viaModel(to.name)
  expect(sent?.method).toBe('POST')
  expect(sent?.path).toBe(to.upstream.path(model, isStream))
  const transport = {
    'content-type': 'application/json',
    accept: isStream ? 'text/event-stream' : 'application/json',
    'accept-encoding': 'identity',
    'content-length': expect.any(String),
    host: expect.any(String),
    'user-agent': 'tollgate',
  }
  expect(sent?.headers).toEqual({ ...transport, ...to.upstream.headers(credentials.one) })
  const body = parseJson(sent?.body ?? '')
  expect(to.upstream.promptOf(body)).toBe(prompt)
  expect(sent?.body).not.toContain('sk-')
  if (to.name === 'generate-content') expect(body).not.toHaveProperty('model')
  else expect(body).toMatchObject({ model })
}

async function expectCharged(requestId: string, { from, to }: Pair, isStream: boolean) {
  const { money } = gateway()
  expect(await money.entry(requestId)).toMatchObject({
    account_id: 'acme',
    key_id: 'any',
    cost_nano: costNano,
    input_tokens: 600,
    cache_read_tokens: 400,
    cache_write_5m_tokens: 0,
    cache_write_1h_tokens: 0,
    output_tokens: 200,
    reasoning_tokens: 50,
    usage_source: 'upstream',
    flags: '',
  })
  expect(await money.usageRow(requestId)).toMatchObject({
    protocol: from.name,
    model: viaModel(to.name),
    group_id: 'any',
    stream: isStream ? 1 : 0,
    status: 200,
    reason: null,
    cost_nano: costNano,
    upstream_id: `via-${to.name}`,
    upstream_request_id: 'req_theirs',
  })
}

async function expectOneMore(before: { entries: number; rows: number }) {
  const after = await gateway().money.counts()
  expect(after).toEqual({ entries: before.entries + 1, rows: before.rows + 1 })
}

describe('a reply that is not streamed', () => {
  test.each(allPairs)('$pair', async (pair) => {
    const { ask, one, two, money, keys } = gateway()
    const { from, to } = pair
    const before = await money.counts()
    one.script('next', {
      kind: 'reply',
      headers: { 'content-type': 'application/json', 'x-request-id': 'req_theirs' },
      body: JSON.stringify(to.upstream.reply(greeting)),
    })
    const model = viaModel(to.name)
    const reply = await ask({
      path: from.client.path(model, false),
      headers: { ...foreign, ...from.client.keyHeaders(keys.any) },
      body: from.client.body(model, false),
    })
    expect(reply.status).toBe(200)
    expect(reply.headers.get('content-type')).toBe('application/json')
    expect(reply.headers.get('x-gateway-cost')).toBe('0.004')
    expect(reply.headers.get('x-gateway-warnings')).toBeNull()
    expect(reply.headers.get('x-request-id')).toBe(reply.requestId)
    expect(from.client.textOf(reply.json)).toBe(greetingText)
    expect(from.client.usageOf(reply.json)).toMatchObject(from.usage)
    if (from === to) expect(reply.json).toEqual(to.upstream.reply(greeting))
    expect(one.requests).toHaveLength(1)
    expect(two.requests).toHaveLength(0)
    expectOwnRequest(one.requests[0], pair, false)
    await expectCharged(reply.requestId, pair, false)
    await expectOneMore(before)
  })
})

describe('a stream', () => {
  test.each(allPairs)('$pair', async (pair) => {
    const { ask, one, two, money, keys } = gateway()
    const { from, to } = pair
    const before = await money.counts()
    const sentEvents = to.upstream.events(greeting)
    one.script('next', {
      kind: 'events',
      events: sentEvents,
      end: 'clean',
      headers: { 'request-id': 'req_theirs' },
    })
    const model = viaModel(to.name)
    const reply = await ask({
      path: from.client.path(model, true),
      headers: { ...foreign, ...from.client.keyHeaders(keys.any) },
      body: from.client.body(model, true),
    })
    expect(reply.status).toBe(200)
    expect(reply.headers.get('content-type')).toBe('text/event-stream; charset=utf-8')
    expect(reply.headers.get('cache-control')).toBe('no-cache')
    expect(reply.headers.get('x-accel-buffering')).toBe('no')
    expect(reply.headers.get('x-gateway-warnings')).toBeNull()
    const events = readEvents(reply.text)
    expect(from.client.streamedText(events)).toBe(greetingText)
    expect(from.client.countEnds(events)).toBe(1)
    expect(from.client.countEnds(events.slice(-1))).toBe(1)
    expect(from.client.streamedFault(events)).toBeUndefined()
    expect(from.client.streamedUsage(events)).toMatchObject(from.usage)
    if (from === to) expect(reply.text).toBe(sentEvents.join(''))
    expect(one.requests).toHaveLength(1)
    expect(two.requests).toHaveLength(0)
    expectOwnRequest(one.requests[0], pair, true)
    await expectCharged(reply.requestId, pair, true)
    await expectOneMore(before)
  })

  test.each(allPairs)('$pair: cut into pieces of three bytes', async ({ from, to }) => {
    const { ask, one } = gateway()
    const of = { kind: 'events', events: to.upstream.events(greeting), end: 'clean' } as const
    one.script('next', { kind: 'split', bytesPerWrite: 3, of })
    const model = viaModel(to.name)
    const path = from.client.path(model, true)
    const reply = await ask({ key: 'any', path, body: from.client.body(model, true) })
    const events = readEvents(reply.text)
    expect(from.client.streamedText(events)).toBe(greetingText)
    expect(from.client.countEnds(events)).toBe(1)
  })

  test.each(allPairs)('$pair: texts contain no line ends for the client', async ({ from, to }) => {
    const { ask, one } = gateway()
    const pieces = ['a\u2028', 'b\u0085c', '\u2029d']
    one.script('next', { kind: 'events', events: to.upstream.events({ pieces }), end: 'clean' })
    const model = viaModel(to.name)
    const path = from.client.path(model, true)
    const reply = await ask({ key: 'any', path, body: from.client.body(model, true) })
    expect(from.client.streamedText(readEvents(reply.text))).toBe(pieces.join(''))
    // Passed-through text stays as the vendor sent it.
    if (from !== to) expect(reply.text).not.toMatch(/[\u0085\u2028\u2029]/)
  })

  test.each(allPairs)(
    '$pair: a request body with many lines adds no line breaks to an event',
    async (pair) => {
      const { ask, one, keys } = gateway()
      const { from, to } = pair
      one.script('next', { kind: 'events', events: to.upstream.events(greeting), end: 'clean' })
      const model = viaModel(to.name)
      const asked = { ...from.client.body(model, true), ...from.client.toolFields }
      // A number that a plain parse would write differently keeps the schema as it was sent.
      const body = JSON.stringify(asked, null, 2).replaceAll(
        /"type": "string"/gi,
        '"type": "string", "default": 1.50',
      )
      const headers = { ...from.client.keyHeaders(keys.any), 'content-type': 'application/json' }
      const reply = await ask({ path: from.client.path(model, true), headers, body })
      expect(reply.status).toBe(200)
      expect(from.client.streamedText(readEvents(reply.text))).toBe(greetingText)
      const strays = reply.text
        .split(/\r?\n/)
        .filter((line) => !/^(?:data: |event: |:|$)/.test(line))
      expect(strays).toEqual([])
    },
  )
})
