import { describe, expect, test } from 'bun:test'
import { protocolNames } from '../../src/core/neutral/protocol-name.ts'
import { sendRaw } from '../support/gateway/send-raw.ts'
import { readStream } from '../support/gateway/stream-reader.ts'
import { viaModel } from '../support/gateway/test-provision.ts'
import { readEvents } from '../support/protocols/read-events.ts'
import { dig, list } from '../support/protocols/test-protocol.ts'
import { allPairs, allProtocols } from '../support/protocols/test-protocols.ts'
import { withScriptedGateway } from './scripted-gateway.ts'
import { answers, textOf } from './scripts/answer.ts'
import { scripts } from './scripts/scripts.ts'

const { gateway, say, sayStreamed } = withScriptedGateway()
const scriptOf = new Map(scripts.map((script) => [script.protocol, script]))
const pairs = allPairs.flatMap(({ pair, from, to }) => {
  const script = scriptOf.get(to.name)
  return script ? [{ pair, from, to, script, model: viaModel(to.name) }] : []
})

describe('point 1: the key in every header that clients use, on every endpoint', () => {
  const styles: { style: string; headers: (key: string) => Record<string, string> }[] = [
    { style: 'a bearer token', headers: (key) => ({ authorization: `Bearer ${key}` }) },
    { style: 'x-api-key', headers: (key) => ({ 'x-api-key': key }) },
    { style: 'x-goog-api-key', headers: (key) => ({ 'x-goog-api-key': key }) },
    { style: 'x-vendor-api-key', headers: (key) => ({ 'x-vendor-api-key': key }) },
    {
      style: 'twice the same',
      headers: (key) => ({ authorization: `Bearer ${key}`, 'x-api-key': key }),
    },
  ]
  test.each(styles)('$style', async ({ headers }) => {
    const { ask, keys } = gateway()
    const sent = headers(keys.any)
    for (const { from, script, model } of pairs) {
      say(script, answers.text)
      const path = from.client.path(model, false)
      const reply = await ask({ path, headers: sent, body: from.client.body(model, false) })
      expect(reply.status).toBe(200)
      expect(from.client.textOf(reply.json)).toBe(textOf(answers.text))
    }
    for (const path of ['/v1/models', '/v1/models/via-chat', '/v1beta/models']) {
      expect((await ask({ path, headers: sent })).status).toBe(200)
    }
  })

  test('in the query of the Gemini endpoints, and never in the log', async () => {
    const { ask, keys, logLines } = gateway()
    const reply = await ask({ path: `/v1beta/models?key=${keys.any}` })
    expect(reply.status).toBe(200)
    expect(logLines.join('')).not.toContain(keys.any)
  })
})

describe('point 2: the version of the messages protocol', () => {
  const body = { max_tokens: 100, messages: [{ role: 'user', content: 'Good morning' }] }
  const path = '/v1/messages'
  test.each(['2023-06-01', '2026-10-21', '2031-01-01'])('%s is accepted', async (version) => {
    const { ask, one } = gateway()
    const headers = { 'anthropic-version': version }
    for (const script of scripts) {
      say(script, answers.text)
      const model = viaModel(script.protocol)
      expect((await ask({ key: 'any', path, headers, body: { ...body, model } })).status).toBe(200)
    }
    expect(one.requests.map((request) => request.headers['anthropic-version'])).toEqual([
      undefined,
      undefined,
      version,
      undefined,
    ])
  })

  test('a translated request with sampling is sent with a version that accepts it', async () => {
    const { ask, one } = gateway()
    for (const { from, script, model } of pairs) {
      if (script.protocol !== 'messages' || from.name === 'messages') continue
      say(script, answers.text)
      const sampling = { temperature: 0.2 }
      const more =
        from.name === 'generate-content' ? { generationConfig: sampling } : { ...sampling }
      const reply = await ask({
        key: 'any',
        path: from.client.path(model, false),
        headers: { 'anthropic-version': '2026-10-21' },
        body: { ...from.client.body(model, false), ...more },
      })
      expect(reply.status).toBe(200)
      expect(one.requests.at(-1)?.headers['anthropic-version']).toBe('2023-06-01')
      expect(JSON.parse(one.requests.at(-1)?.body ?? '')).toMatchObject(sampling)
    }
  })
})

describe('point 3: the endpoints that Gemini clients call', () => {
  test.each(scripts)('over $protocol: streamGenerateContent?alt=sse', async (script) => {
    sayStreamed(script, answers.text)
    const model = viaModel(script.protocol)
    const reply = await gateway().ask({
      key: 'any',
      path: `/v1beta/models/${model}:streamGenerateContent?alt=sse`,
      body: { contents: [{ role: 'user', parts: [{ text: 'Good morning' }] }] },
    })
    expect(reply.headers.get('content-type')).toStartWith('text/event-stream')
    const chunks = readEvents(reply.text).map(({ data }) => data)
    const texts = chunks.map((chunk) => dig(chunk, 'candidates', 0, 'content', 'parts', 0, 'text'))
    expect(texts.filter((text) => text !== undefined && text !== '')).toEqual(answers.text.pieces)
    const reasons = chunks.map((chunk) => dig(chunk, 'candidates', 0, 'finishReason'))
    expect(reasons.filter((reason) => reason !== undefined)).toEqual(['STOP'])
    expect(reasons.at(-1)).toBe('STOP')
  })

  test('countTokens, the list and one model', async () => {
    const { ask } = gateway()
    const body = { contents: [{ parts: [{ text: 'Good morning' }] }] }
    for (const name of protocolNames) {
      const model = viaModel(name)
      const counted = await ask({
        key: 'any',
        path: `/v1beta/models/${model}:countTokens`,
        body,
      })
      expect(counted.json['totalTokens']).toBeNumber()
      const found = await ask({ key: 'any', path: `/v1beta/models/${model}` })
      expect(found.json).toMatchObject({ name: `models/${model}` })
    }
  })
})

test.each(scripts)('point 4: /v1/messages?beta=true over $protocol', async (script) => {
  const { ask, one } = gateway()
  say(script, answers.text)
  const beta = 'interleaved-thinking-2025-05-14,context-management-2025-06-27'
  const reply = await ask({
    key: 'any',
    path: '/v1/messages?beta=true',
    headers: { 'anthropic-beta': beta },
    body: {
      model: viaModel(script.protocol),
      max_tokens: 100,
      messages: [{ role: 'user', content: 'Good morning' }],
    },
  })
  expect(reply.status).toBe(200)
  expect(dig(reply.json, 'content', 0, 'text')).toBe(textOf(answers.text))
  const isOwn = script.protocol === 'messages'
  expect(one.requests[0]?.headers['anthropic-beta']).toBe(isOwn ? beta : undefined)
})

test('point 5: a WebSocket for responses is answered 426', async () => {
  const { url, keys } = gateway()
  const lines = [
    'GET /v1/responses HTTP/1.1',
    'host: gateway',
    `authorization: Bearer ${keys.any}`,
    'connection: Upgrade',
    'upgrade: websocket',
    'sec-websocket-version: 13',
    'sec-websocket-key: dGhlIHNhbXBsZSBub25jZQ==',
    'openai-beta: responses_websockets=2026-02-06',
  ]
  const { status } = await sendRaw(url, [`${lines.join('\r\n')}\r\n\r\n`])
  expect(status).toBe(426)
})

// Point 6, message threads, is in anthropic-helpers.test.ts.

describe('point 7: the request id in every header that an SDK reads', () => {
  const names = ['x-gateway-request-id', 'x-request-id', 'request-id']
  function expectIds(headers: Headers): void {
    const [id, ...others] = names.map((name) => headers.get(name))
    expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7/)
    expect(others).toEqual([id ?? '', id ?? ''])
  }
  test.each(pairs)('$pair', async ({ from, script, model }) => {
    const { ask, one } = gateway()
    const question = (isStream: boolean) => ({
      key: 'any' as const,
      path: from.client.path(model, isStream),
      body: from.client.body(model, isStream),
    })
    say(script, answers.text)
    expectIds((await ask(question(false))).headers)
    sayStreamed(script, answers.text)
    expectIds((await ask(question(true))).headers)
    for (const isStream of [false, true]) {
      one.script('next', { kind: 'status', status: 400 })
      expectIds((await ask(question(isStream))).headers)
    }
    expectIds((await ask({ ...question(false), key: 'disabled' })).headers)
  })
})

describe('point 8: the gateway’s own errors in the format of the protocol', () => {
  const rows = [
    { status: 401, key: 'disabled', anthropic: 'authentication_error', google: 'UNAUTHENTICATED' },
    { status: 403, key: 'broke', anthropic: 'permission_error', google: 'PERMISSION_DENIED' },
    { status: 404, key: 'plain', anthropic: 'not_found_error', google: 'NOT_FOUND' },
  ] as const
  const cases = rows.flatMap((row) =>
    allProtocols.map((protocol) => ({ ...row, protocol, name: `${row.status} ${protocol.name}` })),
  )
  test.each(cases)('$name', async ({ status, key, anthropic, google, protocol }) => {
    const model = status === 404 ? 'no-such-model' : 'gpt-x'
    const { client, name } = protocol
    for (const isStream of [false, true]) {
      const path = client.path(model, isStream)
      const reply = await gateway().ask({ key, path, body: client.body(model, isStream) })
      expect(reply.status).toBe(status)
      expect(reply.headers.get('content-type')).toBe('application/json')
      const message = expect.any(String)
      if (name === 'messages') {
        const { requestId: request_id } = reply
        const error = { type: anthropic, message }
        expect(reply.json).toMatchObject({ type: 'error', error, request_id })
      } else if (name === 'generate-content') {
        const details = expect.any(Array)
        expect(reply.json).toMatchObject({
          error: { code: status, message, status: google, details },
        })
      } else {
        const type = status === 403 ? 'insufficient_quota' : 'invalid_request_error'
        const error = { message, type, code: expect.any(String) }
        expect(reply.json).toMatchObject({ error })
        expect(reply.json['error']).toHaveProperty('param')
      }
    }
  })
})

describe('point 9: a failure has its own status and type', () => {
  test.each(pairs)('$pair', async ({ from, script, model }) => {
    const { ask, open } = gateway()
    const path = from.client.path(model, true)
    const question = { key: 'any' as const, path, body: from.client.body(model, true) }
    sayStreamed(script, {}, { events: [script.faultFrame] })
    const early = await ask(question)
    expect(early.status).toBe(502)
    expect(early.headers.get('content-type')).toBe('application/json')
    const [first = ''] = answers.text.pieces
    const frames = script.frames(answers.text)
    const at = frames.findIndex((frame) => frame.includes(answers.text.pieces[1] ?? ''))
    const isHeard = Promise.withResolvers<void>()
    const events = [...frames.slice(0, at), ': \n\n']
    const gates = events.map((_, index) => (index === at ? isHeard.promise : undefined))
    sayStreamed(script, answers.text, { events, gates, end: 'cut' })
    const told = readStream(await open(question))
    await told.readUntil(first)
    isHeard.resolve()
    const cut = readEvents(await told.readAll())
    expect(from.client.streamedText(cut)).toBe(first)
    expect(from.client.countEnds(cut)).toBe(0)
    expect(from.client.streamedFault(cut)?.message).toBeString()
  })
})

describe('point 13: a reasoning signature is returned to its upstream', () => {
  const { thoughtAndCall, text } = answers
  const returning = pairs.filter(({ from, to }) => from === to || to.name !== 'chat-completions')
  test.each(returning)('$pair', async ({ from, to, script, model }) => {
    const { ask } = gateway()
    const first = { ...from.client.body(model, false), ...from.client.toolFields }
    const path = from.client.path(model, false)
    const called = { ...thoughtAndCall, calls: [{ name: 'look_up', input: { city: 'Łódź' } }] }
    say(script, called)
    const reply = await ask({ key: 'any', path, body: first })
    const [callId] = from.client.callIds(reply.json)
    const bodies = [
      from.client.goOn(first, reply.json),
      // A client that keeps only known fields; with the same protocol the bytes are unchanged.
      ...(from === to || callId === undefined ? [] : [from.client.goOnBare(first, callId)]),
    ]
    for (const body of bodies) {
      say(script, text)
      expect((await ask({ key: 'any', path, body })).status).toBe(200)
      const sent = JSON.parse(gateway().one.requests.at(-1)?.body ?? '')
      expect(to.upstream.tokensOf(sent)).toEqual([thoughtAndCall.thought.token])
    }
  })
})

describe('point 14: the model list for three kinds of client', () => {
  const path = '/v1/models'
  test('an OpenAI client', async () => {
    const { json } = await gateway().ask({ key: 'any', path })
    expect(json).toMatchObject({ object: 'list' })
    expect(list(json['data'])[0]).toMatchObject({ object: 'model', owned_by: 'tests' })
  })

  test('Claude Code, which requests a thousand', async () => {
    const { ask, keys } = gateway()
    for (const headers of [
      { 'x-api-key': keys.any, 'anthropic-version': '2023-06-01' },
      { authorization: `Bearer ${keys.any}`, 'anthropic-version': '2023-06-01' },
    ]) {
      const { json } = await ask({ path: `${path}?limit=1000`, headers })
      expect(json).toMatchObject({ has_more: false, first_id: expect.any(String) })
      const model = { type: 'model', display_name: expect.any(String), id: expect.any(String) }
      expect(list(json['data'])).toHaveLength(protocolNames.length)
      expect(list(json['data'])[0]).toMatchObject(model)
    }
  })

  test('a Google client', async () => {
    const { json } = await gateway().ask({ key: 'any', path: '/v1beta/models' })
    expect(list(json['models'])).toHaveLength(protocolNames.length)
  })
})

test.each(['/', '/api/hello'])('point 15: HEAD %s without a key is not an error', async (path) => {
  const { status, text } = await gateway().ask({ method: 'HEAD', path })
  expect(status).toBeLessThan(500)
  expect(text).toBe('')
})

test.each(pairs)('point 18: nothing is compressed, $pair', async ({ from, script, model }) => {
  const { ask, one } = gateway()
  for (const isStream of [false, true]) {
    if (isStream) sayStreamed(script, answers.text)
    else say(script, answers.text)
    const reply = await ask({
      key: 'any',
      path: from.client.path(model, isStream),
      headers: { 'accept-encoding': 'gzip, deflate, br, zstd' },
      body: from.client.body(model, isStream),
    })
    expect(reply.status).toBe(200)
    expect(reply.headers.get('content-encoding')).toBeNull()
    expect(one.requests.at(-1)?.headers['accept-encoding']).toBe('identity')
  }
})
