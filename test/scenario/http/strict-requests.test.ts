import { describe, expect, test } from 'bun:test'
import { chatBody } from '../../support/gateway/ask.ts'
import { sendRaw } from '../../support/gateway/send-raw.ts'
import { withGateway } from '../../support/gateway/with-gateway.ts'

const gateway = withGateway()

const requestIdHeader = /\r\nx-gateway-request-id: [\w-]{36}\r\n/i

/** The runtime's own answers have neither a body nor an id; all others have both. */
async function ask(line: string, host: string | undefined = 'Host: gateway.example\r\n') {
  const { url, keys } = gateway()
  return sendRaw(url, [
    `${line} HTTP/1.1\r\n${host}Authorization: Bearer ${keys.plain}\r\nConnection: close\r\n\r\n`,
  ])
}

describe('a target that a proxy and the gateway could read differently is refused', () => {
  const targets = [
    '/a//b/metrics',
    '//metrics',
    '/metrics//',
    '//',
    '/v1//models',
    '/a/../metrics',
    '/v1/models/../../metrics',
    '/v1/../metrics',
    '/v1/./models',
    '/metrics/.',
    '/metrics/..',
    '/%2e/metrics',
    '/%2e%2e/metrics',
    '/a/%2E%2e/metrics',
    '/a/.%2e/metrics',
    '/a\\..\\metrics',
    '/a\\metrics',
    '/a%5c..%5cmetrics',
    '/a%2fmetrics',
    '/v1%2fmodels',
    '/console%2fapi',
    '/console/..%2fmetrics',
    '/v1/models/a%2f..%2fb',
    '/v1/models/a%2f%2fb',
    '/metrics#x',
    '/metrics?x#y',
    '/v1/models#/../../metrics',
    '/met%00rics',
    '/met%0d%0arics',
    '/met\x7frics',
    '/v1/models/%zz',
    '/v1/models/%2',
    '/metrics%',
    `/${'a/'.repeat(40)}metrics`,
    'http://evil.example/a/../metrics',
    'http://evil.example//metrics',
    'http://user:pass@evil.example/a\\..\\metrics',
    '/console/../metrics',
    '/console//api',
    '/console/api/%2e%2e/%2e%2e/metrics',
  ]
  test.each(targets)('%s', async (target) => {
    const { one, two } = gateway()
    const { status, text, json } = await ask(`GET ${target}`)
    expect(status).toBe(400)
    expect(text).toMatch(requestIdHeader)
    expect(json['error']).toMatchObject({ code: 'invalid_request' })
    expect(text).not.toContain('# TYPE')
    expect(one.requests.length + two.requests.length).toBe(0)
  })
})

describe('the format of the refusal is that of the path', () => {
  test.each([
    ['/v1/messages/../x', 'messages', { type: 'error' }],
    ['/v1beta/models/x%5cy:generateContent', 'generate-content', { error: { code: 400 } }],
  ])('%s', async (target, _, shape) => {
    const headers = target.includes('messages')
      ? 'Host: a\r\nanthropic-version: 2023-06-01\r\n'
      : undefined
    const { status, json } = await ask(`POST ${target}`, headers)
    expect(status).toBe(400)
    expect(json).toMatchObject(shape)
  })
})

describe('exactly one valid Host, in both versions', () => {
  const wrong: [name: string, headers: string][] = [
    ['user information', 'Host: x@y\r\n'],
    ['user and password', 'Host: x:1@y\r\n'],
    ['empty', 'Host: \r\n'],
    ['two', 'Host: a\r\nHost: b\r\n'],
    ['the same host twice', 'Host: a\r\nHost: a\r\n'],
    ['two hosts, the second empty', 'Host: a\r\nHost:\r\n'],
    ['a list', 'Host: a, b\r\n'],
    ['a path', 'Host: a/b\r\n'],
    ['a query', 'Host: a?b\r\n'],
    ['a fragment', 'Host: a#b\r\n'],
    ['a backslash', 'Host: a\\b\r\n'],
    ['a space', 'Host: a b\r\n'],
    ['a percent-encoded character', 'Host: a%2fb\r\n'],
    ['an invalid port', 'Host: a:b\r\n'],
    ['an empty port', 'Host: a:\r\n'],
    ['a port that is too large', 'Host: a:65536\r\n'],
    ['two ports', 'Host: a:1:2\r\n'],
    ['an open bracket', 'Host: [::1\r\n'],
    ['IPv6 without brackets', 'Host: ::1\r\n'],
    ['an invalid IPv6 literal', 'Host: [::1::2]\r\n'],
    ['an IPv6 zone', 'Host: [fe80::1%25eth0]\r\n'],
    ['a number that is not an address', 'Host: 1.2.3.999\r\n'],
    ['a letter beyond ASCII', 'Host: b\xfccher.example\r\n'],
    ['a name that is too long', `Host: ${'a'.repeat(300)}\r\n`],
  ]
  const paths = ['/a//b/metrics', '/metrics', '/console', '/console/api/session', '/v1/models', '/']
  for (const path of paths) {
    test.each(wrong)(`${path}, %s`, async (_, headers) => {
      for (const version of ['1.1', '1.0']) {
        const { status, text, json } = await sendRaw(gateway().url, [
          Buffer.from(
            `GET ${path} HTTP/${version}\r\n${headers}Connection: close\r\n\r\n`,
            'latin1',
          ),
        ])
        expect(status).toBe(400)
        expect(text).toMatch(requestIdHeader)
        expect(json['error']).toMatchObject({ code: 'invalid_request' })
      }
    })
  }

  test('no Host header', async () => {
    for (const version of ['1.1', '1.0']) {
      const { status, text } = await sendRaw(gateway().url, [
        `GET /metrics HTTP/${version}\r\n\r\n`,
      ])
      expect(status).toBe(400)
      expect(text).not.toContain('# TYPE')
    }
  })

  test.each([
    'gateway',
    'gateway.example:8080',
    'GATEWAY.example.',
    'my_gateway:80',
    '127.0.0.1',
    '127.0.0.1:8080',
    '[::1]',
    '[::1]:8080',
    '[2001:db8::1]:443',
    'xn--bcher-kva.example',
  ])('%s is one', async (host) => {
    for (const version of ['1.1', '1.0']) {
      const { status } = await sendRaw(
        gateway().url,
        [`GET /healthz HTTP/${version}\r\nHost: ${host}\r\nConnection: close\r\n\r\n`],
        { thenEnd: false },
      )
      expect(status).toBe(200)
    }
  })
})

describe('what clients send is still understood', () => {
  test.each([
    ['/v1/models', 200],
    ['/v1/models?x=/../metrics', 200],
    ['/v1/models/gpt-x', 200],
    ['/v1/models/openai%2Fnone', 404],
    ['/v1/models/openai/none', 404],
    ['/v1/models/mod%C3%A8le', 404],
    ['/v1/models/', 404],
    ['/v1/chat/completions/', 404],
    ['/v1/nothing/here', 404],
    ['/', 404],
    ['/console', 404],
    ['/console/', 404],
    ['/console/assets/x.js', 404],
    ['http://gateway.example/v1/models', 200],
    ['/healthz', 200],
    ['/%6detrics', 404],
    ['/METRICS', 404],
  ])('%s', async (target, status) => {
    const answer = await ask(`GET ${target}`)
    expect(answer.status).toBe(status)
    expect(answer.text).toMatch(requestIdHeader)
  })

  test('a completion', async () => {
    expect((await gateway().ask({ key: 'plain', body: chatBody() })).status).toBe(200)
  })

  test('an unknown method on an invalid path', async () => {
    const { status, text } = await ask('CONNECT evil.example:80')
    expect(status).toBe(400)
    expect(text).toMatch(requestIdHeader)
  })
})
