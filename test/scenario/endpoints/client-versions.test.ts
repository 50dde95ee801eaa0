import { describe, expect, test } from 'bun:test'
import { parseJson } from '../../../src/wire/json.ts'
import { viaModel } from '../../support/gateway/test-provision.ts'
import { withGateway } from '../../support/gateway/with-gateway.ts'
import { readEvents } from '../../support/protocols/read-events.ts'
import {
  dig,
  greeting,
  greetingText,
  prompt,
  type TestProtocol,
} from '../../support/protocols/test-protocol.ts'
import { allProtocols, testProtocols } from '../../support/protocols/test-protocols.ts'

const gateway = withGateway()
const { client } = testProtocols['generate-content']

/** Google's own clients identify themselves like this; newer ones use v1 where older ones used v1beta. */
function googleHeaders() {
  return {
    'x-goog-api-key': gateway().keys.any,
    'x-goog-api-client': 'google-genai-sdk/3.1.0 gl-python/3.11',
  }
}

function question(to: TestProtocol, version: string, action: string) {
  const model = viaModel(to.name)
  const path = `/${version}/models/${model}:${action}`
  return { path, headers: googleHeaders(), body: client.body(model, false) }
}

describe.each(['v1', 'v1alpha'])('generate-content under /%s', (version) => {
  test.each(allProtocols)('a whole answer over $name', async (to) => {
    const { ask, one, money } = gateway()
    one.script('next', { kind: 'reply', body: JSON.stringify(to.upstream.reply(greeting)) })
    const reply = await ask(question(to, version, 'generateContent'))
    expect(reply.status).toBe(200)
    expect(client.textOf(reply.json)).toBe(greetingText)
    // The upstream keeps the version that it is configured with.
    expect(one.requests[0]?.path).toBe(to.upstream.path(viaModel(to.name), false))
    expect(to.upstream.promptOf(parseJson(one.requests[0]?.body ?? ''))).toBe(prompt)
    expect(await money.usageRow(reply.requestId)).toMatchObject({ protocol: 'generate-content' })
  })

  test.each(allProtocols)('a stream over $name', async (to) => {
    const { ask, one } = gateway()
    const script = { kind: 'events', events: to.upstream.events(greeting), end: 'clean' } as const
    one.script('next', script)
    const events = await ask(question(to, version, 'streamGenerateContent?alt=sse'))
    expect(events.headers.get('content-type')).toStartWith('text/event-stream')
    expect(client.streamedText(readEvents(events.text))).toBe(greetingText)
    one.script('next', script)
    const list = await ask(question(to, version, 'streamGenerateContent'))
    expect(list.headers.get('content-type')).toBe('application/json')
    expect(parseJson(list.text)).toBeArray()
  })

  test.each(allProtocols)('a count over $name', async (to) => {
    const { ask, one } = gateway()
    one.script('next', { kind: 'reply', body: '{"totalTokens":7,"input_tokens":7}' })
    const reply = await ask(question(to, version, 'countTokens'))
    expect(reply.status).toBe(200)
    expect(reply.json).toMatchObject({ totalTokens: expect.any(Number) })
  })

  test('the model list and one model', async () => {
    const { ask } = gateway()
    const headers = googleHeaders()
    const id = viaModel('messages')
    const list = await ask({ path: `/${version}/models`, headers })
    expect(list.json['models']).toContainEqual(expect.objectContaining({ name: `models/${id}` }))
    expect(list.json).not.toHaveProperty('object')
    const one = await ask({ path: `/${version}/models/${id}`, headers })
    expect(one.json).toMatchObject({ name: `models/${id}` })
  })

  test('the key in the query', async () => {
    const { ask, one, keys } = gateway()
    const { body, path } = question(testProtocols.messages, version, 'generateContent')
    const said = JSON.stringify(testProtocols.messages.upstream.reply(greeting))
    one.script('next', { kind: 'reply', body: said })
    expect((await ask({ path: `${path}?key=${keys.any}`, body })).status).toBe(200)
    expect((await ask({ path: `${path}?key=wrong`, body })).status).toBe(401)
  })

  test('refusals are Google’s', async () => {
    const { ask } = gateway()
    const { path, body } = question(testProtocols.messages, version, 'generateContent')
    const headers = { ...googleHeaders(), 'x-goog-api-key': 'wrong' }
    const wrong = await ask({ path, body, headers })
    expect(wrong.status).toBe(401)
    expect(wrong.json).toMatchObject({ error: { code: 401, status: 'UNAUTHENTICATED' } })
    const inList = await ask({ path: `/${version}/models/m:streamGenerateContent`, body, headers })
    expect(parseJson(inList.text)).toMatchObject([{ error: { code: 401 } }])
    const method = await ask({ path, headers: googleHeaders() })
    expect(method.status).toBe(405)
    expect(method.json).toMatchObject({ error: { code: 405 } })
  })
})

describe('on shared paths the client’s own name decides the format', () => {
  const rows: [string, string][] = [
    ['POST', '/v1/models/gpt-x:batchEmbedContents'],
    ['POST', '/v1beta/models/gpt-x:embedContent'],
    ['POST', '/v1alpha/cachedContents'],
    ['POST', '/v1/cachedContents'],
    ['GET', '/v1/files'],
    ['POST', '/upload/v1beta/files'],
    ['POST', '/v1/interactions'],
    ['POST', '/models/gpt-x:generateContent'],
  ]
  test.each(rows)('Google’s: %s %s', async (method, path) => {
    const reply = await gateway().ask({
      method,
      path,
      headers: googleHeaders(),
      ...(method === 'POST' ? { body: {} } : {}),
    })
    expect(reply.status).toBe(404)
    expect(reply.json).toMatchObject({ error: { code: 404, status: 'NOT_FOUND' } })
  })

  test.each(['/v1/files', '/v1/complete', '/messages', '/v1/v1/messages', '/v1/skills'])(
    'Anthropic’s: POST %s',
    async (path) => {
      const headers = { 'x-api-key': gateway().keys.any, 'anthropic-version': '2023-06-01' }
      const reply = await gateway().ask({ path, headers, body: {} })
      expect(reply.status).toBe(404)
      expect(reply.json).toMatchObject({ type: 'error', error: { type: 'not_found_error' } })
    },
  )

  test.each(['/v1/chat/completions', '/v1/responses'])(
    'an endpoint of OpenAI’s stays one: %s',
    async (path) => {
      const headers = { ...googleHeaders(), 'anthropic-version': '2023-06-01' }
      const reply = await gateway().ask({ path, headers, body: { model: 'nothing' } })
      expect(reply.status).toBe(400)
      expect(dig(reply.json, 'error', 'type')).toBe('invalid_request_error')
      expect(reply.json).not.toHaveProperty('type')
    },
  )

  test('a key in Google’s header alone does not select Google’s format of the list', async () => {
    const headers = { 'x-goog-api-key': gateway().keys.any }
    expect((await gateway().ask({ path: '/v1/models', headers })).json).toMatchObject({
      object: 'list',
    })
  })
})
