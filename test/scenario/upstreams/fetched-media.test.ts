import { afterAll, afterEach, describe, expect, test } from 'bun:test'
import { createServer, type ServerResponse } from 'node:http'
import { gzipSync } from 'node:zlib'
import type { Provision } from '../../../src/config/provision.ts'
import { mediaLimits } from '../../../src/gateway/forward/media-limits.ts'
import { parseJson } from '../../../src/wire/json.ts'
import { eventually } from '../../support/eventually.ts'
import { chatBody, type Reply } from '../../support/gateway/ask.ts'
import { viaModel } from '../../support/gateway/test-provision.ts'
import { withGateway } from '../../support/gateway/with-gateway.ts'
import { dig } from '../../support/protocols/test-protocol.ts'

const mebibyte = 1024 * 1024
const model = viaModel('generate-content')
const head = Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex')

/** A PNG of exactly this size, without repeated blocks. */
function png(bytes: number): Buffer {
  const file = Buffer.alloc(bytes)
  for (let at = 0; at < bytes; at += 1) file[at] = (at * 7 + (at >> 9)) & 0xff
  head.copy(file)
  return file
}

/** Adds a second upstream of the model, for when the first fails. */
function withSecond(provision: Provision): Provision {
  const first = provision.upstreams.find(({ id }) => id === 'via-generate-content')
  const origins = provision.upstreams.map(({ baseUrl }) => new URL(baseUrl).origin)
  const baseUrl = origins.find((origin) => origin !== first?.baseUrl)
  if (!first || baseUrl === undefined) throw new Error('the provision has changed')
  const second = { ...first, id: 'second', baseUrl, priority: 1 }
  return { ...provision, upstreams: [...provision.upstreams, second] }
}

const gateway = withGateway({ extend: withSecond })
const small = withGateway({ mediaBytesMax: mebibyte })

const odd = png(1_000_003)
const twenty = png(20 * mebibyte - 8)
const asked: string[] = []
let mostHeld = 0
const closed: string[] = []

const pages: Readonly<Record<string, (response: ServerResponse) => void>> = {
  '/odd': (response) => response.end(odd),
  '/twenty': (response) => response.end(twenty),
  '/gzip': (response) => response.writeHead(200, { 'content-encoding': 'gzip' }).end(gzipSync(odd)),
  '/short': (response) => {
    response.writeHead(200, { 'content-length': '5000' })
    response.write(head)
    setImmediate(() => response.destroy())
  },
  '/missing': (response) => response.writeHead(404).end(),
  '/stalled': (response) => {
    response.writeHead(200)
    response.write(odd.subarray(0, 500_000))
  },
}
const server = createServer((request, response) => {
  const path = new URL(request.url ?? '', 'http://x').pathname
  asked.push(path)
  mostHeld = Math.max(mostHeld, gateway().node.mediaBudget.bytesInUse)
  response.on('close', () => closed.push(path))
  pages[path]?.(response)
})
await new Promise<void>((resolve) => {
  server.listen(0, '127.0.0.1', resolve)
})
const address = server.address()
const base = `http://127.0.0.1:${typeof address === 'object' ? address?.port : 0}`
afterAll(() => {
  server.closeAllConnections()
  server.close()
})
afterEach(() => {
  asked.length = 0
  closed.length = 0
  mostHeld = 0
  for (const { mediaBudget } of [gateway().node, small().node]) {
    expect(mediaBudget.bytesInUse).toBe(0)
    expect(mediaBudget.filesInUse).toBe(0)
  }
})

function bodyWith(paths: readonly string[], extra: object = {}) {
  const content = paths.map((path) => ({ type: 'image_url', image_url: { url: `${base}${path}` } }))
  return chatBody({ model, messages: [{ role: 'user', content }], ...extra })
}

function ask(paths: readonly string[], fixture = gateway): Promise<Reply> {
  return fixture().ask({ key: 'any', body: bodyWith(paths) })
}

function imagesIn(body: string | undefined): unknown[] {
  const parts = dig(parseJson(body ?? ''), 'contents', 0, 'parts')
  return Array.isArray(parts) ? parts.map((part) => dig(part, 'inlineData', 'data')) : []
}

test('a file is written unchanged into every reference in the body, and fetched once', async () => {
  const reply = await ask(['/odd', '/odd?b', '/odd'])
  expect(reply.status).toBe(200)
  const text = odd.toString('base64')
  const [sent] = gateway().one.requests
  expect(imagesIn(sent?.body)).toEqual([text, text, text])
  expect(sent?.headers['content-length']).toBe(String(Buffer.byteLength(sent?.body ?? '')))
  expect(asked).toEqual(['/odd', '/odd'])
})

test('a stream releases the files when the upstream has answered', async () => {
  const release = Promise.withResolvers<void>()
  gateway().one.script(
    {},
    {
      kind: 'events',
      end: 'clean',
      events: [
        `data: {"candidates":[{"content":{"role":"model","parts":[{"text":"a"}]},"index":0}]}\n\n`,
        `data: {"candidates":[{"content":{"role":"model","parts":[{"text":"b"}]},"finishReason":"STOP","index":0}],"usageMetadata":{"promptTokenCount":1,"candidatesTokenCount":2,"totalTokenCount":3}}\n\n`,
      ],
      gates: [undefined, release.promise],
    },
  )
  const response = await gateway().open({ key: 'any', body: bodyWith(['/odd'], { stream: true }) })
  expect(response.status).toBe(200)
  expect(gateway().node.mediaBudget.bytesInUse).toBe(0)
  release.resolve()
  expect(await response.text()).toContain('[DONE]')
})

test('the next upstream gets the same files, and they are not fetched again', async () => {
  gateway().one.script({}, { kind: 'status', status: 500 })
  expect((await ask(['/odd'])).status).toBe(200)
  expect(asked).toEqual(['/odd'])
  const [first] = gateway().one.requests
  const [second] = gateway().two.requests
  expect(imagesIn(second?.body)).toEqual([odd.toString('base64')])
  expect(second?.body).toBe(first?.body)
})

describe('limits of one request', () => {
  test('20 files of 20 MiB are refused, and never buffered', async () => {
    const paths = Array.from({ length: 20 }, (_, index) => `/twenty?${index}`)
    const reply = await ask(paths)
    expect(reply.status).toBe(400)
    expect(reply.text).toContain('more than 48 MiB together')
    expect(gateway().one.requests).toHaveLength(0)
    expect(mostHeld).toBeLessThanOrEqual(mediaLimits.requestBytesMax)
    expect(asked.length).toBeLessThanOrEqual(8)
  })

  const rows: [string, readonly string[], string][] = [
    [
      '21 files',
      Array.from({ length: 21 }, (_, index) => `/odd?${index}`),
      'more than 20 images and files by URL',
    ],
    ['one file 60 times', Array.from({ length: 60 }, () => '/odd'), 'more than 48 MiB together'],
    ['a compressed file', ['/gzip'], 'is compressed'],
    ['a file that is shorter than declared', ['/short'], 'cannot be reached'],
    ['a missing file beside one that never arrives', ['/stalled', '/missing'], 'HTTP 404'],
  ]
  test.each(rows)('%s', async (_, paths, words) => {
    const reply = await ask(paths)
    expect(reply.status).toBe(400)
    expect(dig(reply.json, 'error', 'message')).toContain(words)
    expect(gateway().one.requests).toHaveLength(0)
    await eventually('every connection is closed', () => closed.length === asked.length)
  })
})

test('fetched files are freed when the client disconnects', async () => {
  const caller = new AbortController()
  const going = gateway()
    .open({ key: 'any', body: bodyWith(['/stalled']), signal: caller.signal })
    .catch(() => undefined)
  await eventually('the file is on its way', () => gateway().node.mediaBudget.bytesInUse > 0)
  caller.abort()
  await going
  await eventually('it is let go', () => gateway().node.mediaBudget.bytesInUse === 0)
  await eventually('its server is left', () => closed.length === 1)
  expect(gateway().one.requests).toHaveLength(0)
})

test('at the limit of the process, requests get 503 with Retry-After', async () => {
  const reply = await ask(['/odd', '/odd?b'], small)
  expect(reply.status).toBe(503)
  expect(reply.headers.get('retry-after')).toBe('2')
  expect(dig(reply.json, 'error', 'code')).toBe('unavailable')
  // This does not count against the upstream.
  expect((await ask([], small)).status).toBe(200)
})
