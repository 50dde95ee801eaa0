import { describe, expect, test } from 'bun:test'
import { gzipSync } from 'node:zlib'
import { parseJson } from '../../../src/wire/json.ts'
import { eventually } from '../../support/eventually.ts'
import { openSocket, sendRaw } from '../../support/gateway/send-raw.ts'
import { withGateway } from '../../support/gateway/with-gateway.ts'

const gateway = withGateway()
const tight = withGateway({ bodyLimits: { bodiesInFlightBytesMax: 4 * 1024 * 1024 } })

const names = (count: number) =>
  `{${Array.from({ length: count }, (_, index) => `"k${index}":0`).join()}}`
const items = (count: number, item: string) => `[${Array(count).fill(item).join()}]`

const endpoints = [
  [
    '/v1/chat/completions',
    (inner: string) =>
      `{"model":"gpt-x","messages":[{"role":"user","content":"hi"}],"metadata":${inner}}`,
  ],
  ['/v1/responses', (inner: string) => `{"model":"gpt-x","input":"hi","metadata":${inner}}`],
  [
    '/v1/messages',
    (inner: string) =>
      `{"model":"gpt-x","max_tokens":5,"messages":[{"role":"user","content":"hi"}],"x":${inner}}`,
  ],
  [
    '/v1/messages/count_tokens',
    (inner: string) => `{"model":"gpt-x","messages":[{"role":"user","content":"hi"}],"x":${inner}}`,
  ],
  [
    '/v1/responses/input_tokens',
    (inner: string) => `{"model":"gpt-x","input":"hi","metadata":${inner}}`,
  ],
  [
    '/v1beta/models/gpt-x:generateContent',
    (inner: string) => `{"contents":[{"parts":[{"text":"hi"}]}],"x":${inner}}`,
  ],
  [
    '/v1beta/models/gpt-x:countTokens',
    (inner: string) => `{"contents":[{"parts":[{"text":"hi"}]}],"x":${inner}}`,
  ],
] as const

const shapes: [name: string, inner: string][] = [
  ['many names', names(100_001)],
  ['many numbers', items(100_001, '1')],
  ['many empty lists', items(100_001, '[]')],
  ['many objects', items(60_000, '{"a":1}')],
  ['many messages', items(50_001, '{"role":"user","content":"hi"}')],
]

describe('a body with too many names and items is refused', () => {
  // One reader reads all of them: every shape at one endpoint, and one shape at every other.
  const rows = endpoints.flatMap(([path, wrap], at) =>
    shapes.slice(0, at === 0 ? shapes.length : 1).map(([name, inner]) => [path, name, wrap(inner)]),
  )
  test.each(rows)('%s, %s', async (path, _, body) => {
    const { one, two, money, url, keys } = gateway()
    const before = await money.counts()
    const reply = await fetch(url + path, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${keys.plain}`,
        'content-type': 'application/json',
        'anthropic-version': '2023-06-01',
      },
      body,
    })
    expect(reply.status).toBe(400)
    expect(await reply.text()).toContain('more than 100000 names and list items')
    expect(one.requests.length + two.requests.length).toBe(0)
    expect((await money.counts()).entries).toBe(before.entries)
  })
})

describe('a long body arrives unchanged', () => {
  const text = `${'Grüße, 世界 🌍 \\n\\u00e9 '.repeat(150_000)}`
  test.each([
    ['text of several megabytes', text],
    ['an image', 'iVBORw0KGgo'.repeat(300_000)],
    ['escapes', '\\"\\\\\\n'.repeat(300_000)],
  ])('%s', async (_, content) => {
    const { ask, one } = gateway()
    const body = `{"messages":[{"role":"user","content":"${content}"}],"model":"gpt-x", "seed":1.0}`
    const reply = await ask({ key: 'plain', body })
    expect(reply.status).toBe(200)
    expect(one.requests).toHaveLength(1)
    expect(one.requests[0]?.body).toBe(body)
  })
})

describe('bodies in flight', () => {
  const content = 'x'.repeat(1_500_000)
  const body = `{"model":"gpt-x","messages":[{"role":"user","content":"${content}"}]}`
  const head = (extra = '') =>
    `POST /v1/chat/completions HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${tight().keys.plain}\r\n${extra}`

  test('beyond the share of an account, 503 with Retry-After, until the others have ended', async () => {
    const { url, money } = tight()
    const before = await money.counts()
    const slow = await openSocket(url)
    slow.write(`${head(`Content-Length: ${body.length}\r\n`)}\r\n${body.slice(0, -1)}`)
    await eventually('the first is being read', () => tight().pending() === 1)
    const refused = await sendRaw(url, [`${head(`Content-Length: ${body.length}\r\n`)}\r\n`, body])
    expect(refused.status).toBe(503)
    expect(refused.text.toLowerCase()).toContain('retry-after: 1')
    expect(refused.json['error']).toMatchObject({ code: 'unavailable' })
    const small = await tight().ask({
      key: 'plain',
      body: { model: 'gpt-x', messages: [{ role: 'user', content: 'hi' }] },
    })
    expect(small.status).toBe(200)
    slow.destroy()
    await eventually('the first has gone', () => tight().pending() === 0)
    const last = await sendRaw(url, [`${head(`Content-Length: ${body.length}\r\n`)}\r\n`, body])
    expect(last.status).not.toBe(503)
    expect((await money.counts()).entries).toBeGreaterThanOrEqual(before.entries)
  })

  test('a client that declares much and sends little counts only what it sent, and blocks no other', async () => {
    const { url } = tight()
    const slow = await Promise.all(Array.from({ length: 40 }, () => openSocket(url)))
    for (const socket of slow) {
      socket.write(`${head(`Content-Length: ${body.length}\r\n`)}\r\n${body.slice(0, 1000)}`)
    }
    await eventually('all are being read', () => tight().pending() === slow.length)
    const answer = await sendRaw(url, [`${head(`Content-Length: ${body.length}\r\n`)}\r\n`, body])
    expect(answer.status).not.toBe(503)
    for (const socket of slow) socket.destroy()
    await eventually('all have gone', () => tight().pending() === 0)
  })

  test('a chunked body is counted as it arrives', async () => {
    const piece = `10000\r\n${'x'.repeat(0x10000)}\r\n`
    const chunked = head('Transfer-Encoding: chunked\r\n')
    const answer = await sendRaw(tight().url, [`${chunked}\r\n`, ...Array(60).fill(piece)])
    expect(answer.status).toBe(503)
  })

  test('a compressed body counts with its possible size before it is decompressed', async () => {
    const packed = gzipSync(' '.repeat(20_000_000))
    const coding = `Content-Encoding: gzip\r\nContent-Length: ${packed.length}\r\n`
    const answer = await sendRaw(tight().url, [`${head(coding)}\r\n`, packed])
    expect(answer.status).toBe(503)
  })

  test('nothing stays counted', async () => {
    for (let round = 0; round < 8; round += 1) {
      const answer = await sendRaw(tight().url, [
        `${head(`Content-Length: ${body.length}\r\n`)}\r\n`,
        body,
      ])
      expect(answer.status).not.toBe(503)
    }
  })
})

test('more escapes than can be translated are refused, and forwarded where nothing is translated', async () => {
  const { ask, one, two } = gateway()
  // A result that is JSON may have to be written as an object, so it is read.
  const content = `[${'\\"'.repeat(1_000_001)}`
  const body = `{"model":"gpt-x","max_tokens":5,"messages":[{"role":"user","content":"${content}"}]}`
  const headers = { 'anthropic-version': '2023-06-01' }
  const translated = await ask({ key: 'plain', path: '/v1/messages', headers, body })
  expect(translated.status).toBe(413)
  expect(translated.text).toContain('1000000 escape sequences')
  expect(one.requests.length + two.requests.length).toBe(0)
  expect((await ask({ key: 'plain', body })).status).toBe(200)
})

test('a long text with any number of escapes is translated, and arrives unchanged', async () => {
  const { ask, one, two } = gateway()
  const content = `He said: ${'\\"\\u00e9\\\\文'.repeat(400_000)}.`
  const body = `{"model":"gpt-x","max_tokens":5,"messages":[{"role":"user","content":"${content}"}]}`
  const headers = { 'anthropic-version': '2023-06-01' }
  expect((await ask({ key: 'plain', path: '/v1/messages', headers, body })).status).toBe(200)
  const sent = [...one.requests, ...two.requests].at(-1)?.body ?? ''
  const words = JSON.stringify(parseJson(`"${content}"`))
  expect(JSON.stringify(parseJson(sent)).includes(words.slice(1, -1))).toBe(true)
})
