import { describe, expect, test } from 'bun:test'
import { chatBody, chatPath } from '../../support/gateway/ask.ts'
import { sendRaw } from '../../support/gateway/send-raw.ts'
import { withGateway } from '../../support/gateway/with-gateway.ts'

const page = 'https://chat.example.com'
const ofNobody = withGateway()
const ofSome = withGateway({ webOrigins: [page, 'app://obsidian.md'] })
const ofAll = withGateway({ webOrigins: ['*'] })

/** The preflight of a browser before a request that a form could not send. */
const asks = {
  'access-control-request-method': 'POST',
  'access-control-request-headers': 'authorization,content-type,x-stainless-os',
}

type Row = [name: string, gateway: typeof ofAll, origin: string, allowed: string | null]

const rows: Row[] = [
  ['an allowed page', ofSome, page, page],
  ['an allowed page of a desktop application', ofSome, 'app://obsidian.md', 'app://obsidian.md'],
  ['another page', ofSome, 'https://evil.example.com', null],
  ['the same host on another port', ofSome, `${page}:8443`, null],
  ['the same host without TLS', ofSome, 'http://chat.example.com', null],
  ['a name with an allowed prefix', ofSome, `${page}.evil.com`, null],
  ['no page is allowed', ofNobody, page, null],
  ['all pages are allowed', ofAll, page, '*'],
  ['all pages are allowed, also local files', ofAll, 'null', '*'],
]

describe('preflight responses', () => {
  test.each(rows)('%s', async (_, gateway, origin, allowed) => {
    const { ask, one, money } = gateway()
    const before = await money.counts()
    const reply = await ask({ method: 'OPTIONS', headers: { ...asks, origin } })
    expect(reply.status).toBe(allowed === null ? 405 : 204)
    expect(reply.headers.get('access-control-allow-origin')).toBe(allowed)
    const headers = allowed === null ? null : asks['access-control-request-headers']
    expect(reply.headers.get('access-control-allow-headers')).toBe(headers)
    const methods = allowed === null ? null : 'GET, HEAD, POST, DELETE'
    expect(reply.headers.get('access-control-allow-methods')).toBe(methods)
    expect(reply.headers.get('access-control-allow-credentials')).toBeNull()
    expect(one.requests).toHaveLength(0)
    expect(await money.counts()).toEqual(before)
  })
})

describe('whether a page may read the response', () => {
  test.each(rows)('%s', async (_, gateway, origin, allowed) => {
    const { ask } = gateway()
    const headers = { origin }
    for (const body of [chatBody(), chatBody({ stream: true }), chatBody({ model: 'nobody' })]) {
      const reply = await ask({ key: 'plain', headers, body })
      expect(reply.status).toBe(body['model'] === 'nobody' ? 404 : 200)
      expect(reply.headers.get('access-control-allow-origin')).toBe(allowed)
      expect(reply.headers.get('access-control-expose-headers')).toBe(allowed === null ? null : '*')
      expect(reply.headers.get('vary')).toBe(allowed === null ? null : 'origin')
      expect(reply.requestId).not.toBe('')
    }
    const refused = await ask({ headers, body: chatBody() })
    expect(refused.status).toBe(401)
    expect(refused.headers.get('access-control-allow-origin')).toBe(allowed)
  })
})

test('only the model endpoints are opened', async () => {
  const { open } = ofAll()
  for (const path of ['/console/api/session', '/console', '/metrics', '/healthz']) {
    const answer = await open({ path, headers: { origin: page } })
    expect(answer.headers.get('access-control-allow-origin')).toBeNull()
    const before = await open({ path, method: 'OPTIONS', headers: { ...asks, origin: page } })
    expect(before.headers.get('access-control-allow-origin')).toBeNull()
  }
})

test('a client that is not a web page gets no such headers', async () => {
  const { ask } = ofAll()
  const reply = await ask({ key: 'plain', path: chatPath, body: chatBody() })
  expect(reply.headers.get('access-control-allow-origin')).toBeNull()
})

test.each(['a b', '[::1', '%zz', 'a:99999999', '', '<>'])(
  'an invalid host, %p, is rejected like any other bad request',
  async (host) => {
    const head = `GET /v1/models HTTP/1.1\r\nHost: ${host}\r\nOrigin: ${page}\r\nConnection: close\r\n\r\n`
    const { status } = await sendRaw(ofAll().url, [new TextEncoder().encode(head)])
    expect([400, 401, 404]).toContain(status)
  },
)
