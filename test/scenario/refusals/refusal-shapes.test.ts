import { describe, expect, test } from 'bun:test'
import type { JsonObject } from '../../../src/wire/json.ts'
import { sendRaw } from '../../support/gateway/send-raw.ts'
import { withGateway } from '../../support/gateway/with-gateway.ts'

const gateway = withGateway()

type Shape = 'openai' | 'messages' | 'google'

/** The error body that a client of each protocol reads. */
function bodyOf(shape: Shape, status: number, code: string, requestId: string): JsonObject {
  const message = expect.any(String)
  if (shape === 'openai') {
    return { error: { message, type: 'invalid_request_error', param: null, code } }
  }
  if (shape === 'messages') {
    const types: Record<number, string> = {
      401: 'authentication_error',
      403: 'permission_error',
      404: 'not_found_error',
    }
    const type = types[status] ?? 'invalid_request_error'
    return {
      type: 'error',
      error: { type, message, details: { error_code: code } },
      request_id: requestId,
    }
  }
  const words: Record<number, string> = {
    401: 'UNAUTHENTICATED',
    403: 'PERMISSION_DENIED',
    404: 'NOT_FOUND',
  }
  const details = expect.arrayContaining([
    expect.objectContaining({
      '@type': 'type.googleapis.com/google.rpc.ErrorInfo',
      reason: code,
      metadata: { requestId },
    }),
  ])
  return { error: { code: status, message, status: words[status] ?? 'INVALID_ARGUMENT', details } }
}

const endpoints: { path: string; shape: Shape }[] = [
  { path: '/v1/chat/completions', shape: 'openai' },
  { path: '/v1/responses', shape: 'openai' },
  { path: '/v1/messages', shape: 'messages' },
  { path: '/v1/messages?beta=true', shape: 'messages' },
  { path: '/v1beta/models/gpt-x:generateContent', shape: 'google' },
  { path: '/v1beta/models/gpt-x:streamGenerateContent?alt=sse', shape: 'google' },
]

describe('every protocol has its own error format', () => {
  test.each(endpoints)('401 at $path', async ({ path, shape }) => {
    const reply = await gateway().ask({ path, body: {} })
    expect(reply.status).toBe(401)
    expect(reply.json).toEqual(bodyOf(shape, 401, 'invalid_token', reply.requestId))
    expect(reply.text).toContain('Invalid token')
    expect(reply.headers.get('content-type')).toBe('application/json')
    if (shape === 'google') expect(reply.text).toContain('API_KEY_INVALID')
  })

  test.each(endpoints)('403 at $path', async ({ path, shape }) => {
    const { ask, money } = gateway()
    const reply = await ask({ key: 'suspended', path, body: {} })
    expect(reply.status).toBe(403)
    expect(reply.json).toEqual(bodyOf(shape, 403, 'account_suspended', reply.requestId))
    expect((await money.usageRow(reply.requestId)).reason).toBe('account_suspended')
  })

  test.each(endpoints)('405 at $path', async ({ path, shape }) => {
    const reply = await gateway().ask({ key: 'plain', path, method: 'GET' })
    expect(reply.status).toBe(405)
    expect(reply.headers.get('allow')).toBe('POST')
    expect(reply.json).toEqual(bodyOf(shape, 405, 'method_not_allowed', reply.requestId))
  })

  const lists: { path: string; shape: Shape }[] = [
    { path: '/v1/models', shape: 'openai' },
    { path: '/v1/models/gpt-x', shape: 'openai' },
    { path: '/v1beta/models', shape: 'google' },
    { path: '/v1beta/models/gpt-x', shape: 'google' },
  ]
  test.each(lists)('405 at $path', async ({ path, shape }) => {
    for (const method of ['POST', 'DELETE', 'PUT']) {
      const reply = await gateway().ask({ key: 'plain', path, method })
      expect(reply.status).toBe(405)
      expect(reply.headers.get('allow')).toBe('GET')
      expect(reply.json).toEqual(bodyOf(shape, 405, 'method_not_allowed', reply.requestId))
    }
  })

  const unknown: { path: string; shape: Shape }[] = [
    { path: '/', shape: 'openai' },
    { path: '/v1', shape: 'openai' },
    { path: '/v1/', shape: 'openai' },
    { path: '/v1/chat/completions/', shape: 'openai' },
    { path: '/v1/chat', shape: 'openai' },
    { path: '/v1/embeddings', shape: 'openai' },
    { path: '/v1/responses/nothing/here', shape: 'openai' },
    { path: '/v1/messages/nothing/here', shape: 'messages' },
    { path: '/v1beta/nothing', shape: 'google' },
    { path: '/chat/completions', shape: 'openai' },
    { path: '/%2e%2e/etc/passwd', shape: 'openai' },
    { path: `/${'x'.repeat(4_000)}`, shape: 'openai' },
  ]
  test.each(unknown)('404 at $path', async ({ path, shape }) => {
    for (const key of ['plain', undefined] as const) {
      const reply = await gateway().ask({ key, path, body: {} })
      expect(reply.status).toBe(404)
      expect(reply.json).toEqual(bodyOf(shape, 404, 'not_found', reply.requestId))
      expect(reply.text.length).toBeLessThan(1_000)
    }
  })

  const doubled: { path: string; prefix: string; shape: Shape }[] = [
    { path: '/v1/v1/chat/completions', prefix: '/v1', shape: 'openai' },
    { path: '/v1/v1/messages', prefix: '/v1', shape: 'openai' },
    { path: '/v1/v1beta/models', prefix: '/v1', shape: 'openai' },
    { path: '/v1beta/v1beta/models/gpt-x:generateContent', prefix: '/v1beta', shape: 'google' },
  ]
  test.each(doubled)('404 at $path names the duplicated part', async ({ path, prefix, shape }) => {
    const reply = await gateway().ask({ key: 'plain', path, body: {} })
    expect(reply.status).toBe(404)
    expect(reply.json).toEqual(bodyOf(shape, 404, 'not_found', reply.requestId))
    expect(reply.text).toContain(`already contains ${prefix},`)
  })
})

describe('a WebSocket upgrade', () => {
  const upgrade = (path: string) => {
    const { url, keys } = gateway()
    return sendRaw(url, [
      `GET ${path} HTTP/1.1\r\nhost: gateway\r\nauthorization: Bearer ${keys.plain}\r\n` +
        'connection: Upgrade\r\nupgrade: websocket\r\nsec-websocket-version: 13\r\n' +
        'sec-websocket-key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n',
    ])
  }
  const known: [path: string, method: string][] = [
    ['/v1/responses', 'POST'],
    ['/v1/chat/completions', 'POST'],
    ['/v1/messages', 'POST'],
    ['/v1beta/models/m:generateContent', 'POST'],
    ['/v1/models', 'GET'],
    ['/v1/responses/resp_1', 'GET'],
  ]
  test.each(known)('of %s gets 426, with the advice to send a %s', async (path, method) => {
    const answer = await upgrade(path)
    expect(answer.status).toBe(426)
    expect(answer.text).toContain(`send a ${method} without`)
    expect(answer.text.toLowerCase()).toContain('x-gateway-request-id: ')
  })

  const unknown = ['/v1/realtime', '/responses', '/v1/v1/responses', '/ws']
  test.each(unknown)('of %s gets 404, because the path does not exist', async (path) => {
    const answer = await upgrade(path)
    expect(answer.status).toBe(404)
    expect(answer.text).not.toContain('send a POST')
  })
})

describe('the version header of the messages protocol', () => {
  test.each(['anthropic-version', 'vendor-version'])('%s must be a date', async (name) => {
    const { ask } = gateway()
    for (const value of ['latest', '2023-13-01', '2023-06-1', '20230601']) {
      const headers = { [name]: value }
      const body = { model: 'gpt-x', messages: [] }
      const reply = await ask({ key: 'plain', path: '/v1/messages', headers, body })
      expect(reply.status).toBe(400)
      expect(reply.json).toMatchObject({
        error: { type: 'invalid_request_error', details: { error_code: 'invalid_request' } },
      })
      expect(reply.text).toContain(name)
      // The other protocols ignore this header.
      const other = await ask({ key: 'plain', headers, body })
      expect(other.json).toMatchObject({ error: { param: 'messages' } })
    }
  })
})
