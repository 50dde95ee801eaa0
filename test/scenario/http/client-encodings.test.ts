import { describe, expect, test } from 'bun:test'
import {
  brotliCompressSync,
  deflateRawSync,
  deflateSync,
  gzipSync,
  zstdCompressSync,
} from 'node:zlib'
import { chatBody } from '../../support/gateway/ask.ts'
import { withGateway } from '../../support/gateway/with-gateway.ts'

const bodyBytesMax = 64 * 1024
const gateway = withGateway({ bodyLimits: { bodyBytesMax } })

type Pack = (bytes: Uint8Array) => Uint8Array
const packs: { coding: string; pack: Pack }[] = [
  { coding: 'gzip', pack: (bytes) => gzipSync(bytes) },
  { coding: 'x-gzip', pack: (bytes) => gzipSync(bytes) },
  { coding: 'GZip', pack: (bytes) => gzipSync(bytes) },
  { coding: 'deflate', pack: (bytes) => deflateSync(bytes) },
  { coding: 'br', pack: (bytes) => brotliCompressSync(bytes) },
  { coding: 'zstd', pack: (bytes) => zstdCompressSync(bytes) },
  { coding: 'identity', pack: (bytes) => bytes },
  { coding: '', pack: (bytes) => bytes },
]

function packed(pack: Pack, body: object): Uint8Array<ArrayBuffer> {
  return new Uint8Array(pack(new TextEncoder().encode(JSON.stringify(body))))
}

const sentence = 'Grüße aus Łódź 🌍 '
const content = sentence.repeat(100)

describe('a compressed body', () => {
  test.each(packs)('as $coding', async ({ coding, pack }) => {
    const { ask, one } = gateway()
    const body = packed(pack, chatBody({ messages: [{ role: 'user', content }] }))
    const reply = await ask({ key: 'plain', headers: { 'content-encoding': coding }, body })
    expect(reply.status).toBe(200)
    expect(one.requests[0]?.body).toContain(content)
    expect(one.requests[0]?.headers['content-encoding']).toBeUndefined()
  })

  test('of unknown length', async () => {
    const { url, keys } = gateway()
    const bytes = packed((plain) => zstdCompressSync(plain), chatBody())
    const pieces = new ReadableStream<Uint8Array>({
      start(controller) {
        controller.enqueue(bytes.subarray(0, 20))
        controller.enqueue(bytes.subarray(20))
        controller.close()
      },
    })
    const reply = await fetch(`${url}/v1/chat/completions`, {
      method: 'POST',
      headers: { authorization: `Bearer ${keys.plain}`, 'content-encoding': 'zstd' },
      body: pieces,
    })
    expect(reply.status).toBe(200)
    await reply.text()
  })

  test.each(packs.slice(0, 6))(
    'as $coding must not exceed the limit after decompression',
    async (row) => {
      const { ask, one } = gateway()
      const huge = chatBody({ messages: [{ role: 'user', content: 'a'.repeat(bodyBytesMax) }] })
      const body = packed(row.pack, huge)
      expect(body.length).toBeLessThan(bodyBytesMax / 10)
      const headers = { 'content-encoding': row.coding }
      const reply = await ask({ key: 'plain', headers, body })
      expect(reply.status).toBe(413)
      expect(reply.json).toMatchObject({ error: { code: 'request_too_large' } })
      expect(one.requests).toHaveLength(0)
    },
  )

  test.each(packs.slice(0, 6))(
    'as $coding must be complete and of the declared coding',
    async (row) => {
      const { ask, one } = gateway()
      const headers = { 'content-encoding': row.coding }
      const whole = packed(row.pack, chatBody())
      for (const body of [whole.slice(0, -9), packed((plain) => plain, chatBody())]) {
        const reply = await ask({ key: 'plain', headers, body })
        expect(reply.status).toBe(400)
        expect(reply.json).toMatchObject({ error: { code: 'invalid_request' } })
      }
      expect(one.requests).toHaveLength(0)
    },
  )

  test.each(['compress', 'gzip, br', 'aws-chunked'])('as %s is refused', async (coding) => {
    const { ask, one } = gateway()
    const body = packed((plain) => deflateRawSync(plain), chatBody())
    const reply = await ask({ key: 'plain', headers: { 'content-encoding': coding }, body })
    expect(reply.status).toBe(415)
    expect(reply.headers.get('accept-encoding')).toBe('gzip, deflate, br, zstd')
    expect(reply.text).toContain('Content-Encoding')
    expect(one.requests).toHaveLength(0)
  })
})
