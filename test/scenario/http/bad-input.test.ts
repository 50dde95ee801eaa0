import { afterEach, describe, expect, test } from 'bun:test'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { eventually } from '../../support/eventually.ts'
import { chatBody, chatPath } from '../../support/gateway/ask.ts'
import { chatHead, chatRequest } from '../../support/gateway/chat-request.ts'
import { type RawAnswer, sendRaw } from '../../support/gateway/send-raw.ts'
import { withGateway } from '../../support/gateway/with-gateway.ts'
import { patience } from '../../support/patience.ts'

/** Shorter than the time after which the server closes a silent connection, also on a slow machine. */
const bodyMs = Math.min(patience(1_500), 20_000)
const gateway = withGateway({ bodyLimits: { bodyMs } })
const megabyte = new Uint8Array(2 ** 20).fill(0x20)

function* repeat(piece: Uint8Array, times: number): Iterable<Uint8Array> {
  for (let count = 0; count < times; count += 1) yield piece
}

/** After each test the gateway serves the next client, and has charged nothing. */
afterEach(async () => {
  const { ask, one, money } = gateway()
  expect(one.requests).toHaveLength(0)
  expect((await money.counts()).entries).toBe(0)
  const reply = await ask({ key: 'plain', path: '/v1/models' })
  expect(reply.status).toBe(200)
})

describe('a body of 100 MB', () => {
  const code = { error: { code: 'request_too_large' } }

  test('with its declared length is rejected before it is sent', async () => {
    const { url, keys } = gateway()
    const head = chatHead(keys.plain, [`content-length: ${100 * megabyte.length}`])
    const answer = await sendRaw(url, [head])
    expect(answer.status).toBe(413)
    expect(answer.json).toMatchObject(code)
  })

  test('that is sent nevertheless is not buffered', async () => {
    const { url, keys } = gateway()
    const pieces = function* () {
      yield chatHead(keys.plain, [`content-length: ${100 * megabyte.length}`])
      yield* repeat(megabyte, 100)
    }
    const answer = await sendRaw(url, pieces())
    expect(answer.status).toBe(413)
  })

  test('without a declared length is refused at the limit', async () => {
    const { url, keys, money } = gateway()
    const before = await money.counts()
    let sent = 0
    const pieces = function* () {
      yield chatHead(keys.plain, ['transfer-encoding: chunked'])
      for (const piece of repeat(megabyte, 100)) {
        sent += 1
        yield `${piece.length.toString(16)}\r\n`
        yield piece
        yield '\r\n'
      }
      yield '0\r\n\r\n'
    }
    const answer = await sendRaw(url, pieces())
    expect(answer.status).toBe(413)
    expect(answer.json).toMatchObject(code)
    expect(sent).toBeGreaterThanOrEqual(32)
    await eventually('the row', async () => (await money.counts()).rows === before.rows + 1)
  })

  test('without a valid key is refused because of the key', async () => {
    const { url } = gateway()
    const head = chatHead('sk-nobody', [`content-length: ${100 * megabyte.length}`])
    expect((await sendRaw(url, [head])).status).toBe(401)
  })
})

describe('a body that does not arrive', () => {
  const tooSlow = (answer: RawAnswer) => {
    expect(answer.status).toBe(408)
    expect(answer.json).toMatchObject({ error: { code: 'request_timeout' } })
  }
  test('after its length was declared', async () => {
    const { url, keys } = gateway()
    const request = chatRequest(keys.plain, chatBody())
    tooSlow(await sendRaw(url, [request.slice(0, -30)]))
  })

  test('chunk after chunk', async () => {
    const { url, keys } = gateway()
    const head = chatHead(keys.plain, ['transfer-encoding: chunked'])
    tooSlow(await sendRaw(url, [head, '5\r\n{"mod\r\n']))
  })

  test('byte by byte, for ever', async () => {
    const { url, keys } = gateway()
    const pieces = async function* () {
      yield chatHead(keys.plain, ['content-length: 20000000'])
      for (;;) {
        yield ' '
        await nextTurn()
      }
    }
    tooSlow(await sendRaw(url, pieces()))
  })
})

describe('a request that is not HTTP, or too large', () => {
  const many = Array.from({ length: 1_000 }, (_, index) => `x-flood-${index}: ${'y'.repeat(20)}`)
  const rows: [string, (key: string) => string][] = [
    ['1,000 headers', (key) => chatHead(key, [...many, 'content-length: 0'])],
    ['a header of 1 MB', (key) => chatHead(key, [`x-flood: ${'y'.repeat(2 ** 20)}`])],
    ['a path of 1 MB', () => `GET /${'y'.repeat(2 ** 20)} HTTP/1.1\r\nhost: gateway\r\n\r\n`],
    ['text that is not HTTP', () => 'hello\r\n\r\n'],
    ['a TLS handshake', () => '\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03\r\n\r\n'],
    ['a length that is not a number', (key) => `${chatHead(key, ['content-length: many'])}{}`],
    ['a negative length', (key) => `${chatHead(key, ['content-length: -5'])}{}`],
    ['two lengths', (key) => `${chatHead(key, ['content-length: 2', 'content-length: 40'])}{}`],
    [
      'a length and chunked encoding',
      (key) => `${chatHead(key, ['content-length: 4', 'transfer-encoding: chunked'])}0\r\n\r\n`,
    ],
    [
      'a chunk length that is not a number',
      (key) => `${chatHead(key, ['transfer-encoding: chunked'])}zz\r\n{}\r\n0\r\n\r\n`,
    ],
    ['a header with a line break', (key) => chatHead(key, ['x-odd: a\r\n b', 'content-length: 0'])],
    ['no host', () => `POST ${chatPath} HTTP/1.1\r\ncontent-length: 0\r\n\r\n`],
  ]
  test.each(rows)('%s', async (_, requestOf) => {
    const { url, keys } = gateway()
    const answer = await sendRaw(url, [requestOf(keys.plain)], { thenEnd: true })
    // Closing the connection is allowed; accepting the request or failing is not.
    if (answer.status !== 0) {
      expect(answer.status).toBeGreaterThanOrEqual(400)
      expect(answer.status).toBeLessThan(500)
    }
  })

  test('a body that ends before its length', async () => {
    const { url, keys } = gateway()
    const request = chatRequest(keys.plain, chatBody())
    const answer = await sendRaw(url, [request.slice(0, -30)], { thenEnd: true })
    expect([0, 400, 408]).toContain(answer.status)
  })
})
