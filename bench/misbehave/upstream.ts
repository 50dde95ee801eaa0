// An upstream of all four protocols that discards bodies and answers as the request demands. Prints its port.
import { gzipSync } from 'node:zlib'
import type { ProtocolName } from '../../src/core/neutral/protocol-name.ts'
import { delta, replyShapes, streamedReply, wholeReply } from './replies.ts'
import { longStream } from './streams.ts'

const lookedAtMax = 4_096
const sentAtOnce = 1024 * 1024

const endings: readonly [ending: string, protocol: ProtocolName][] = [
  ['/chat/completions', 'chat-completions'],
  ['/responses', 'responses'],
  ['/messages', 'messages'],
  [':generateContent', 'generate-content'],
  [':streamGenerateContent', 'generate-content'],
]

const server = Bun.serve({
  hostname: '127.0.0.1',
  port: 0,
  maxRequestBodySize: 1024 ** 3,
  idleTimeout: 0,
  fetch: async (request) => {
    // Only the beginning of the body is read: it may say what to answer.
    let begin = ''
    for await (const bytes of request.body ?? []) {
      if (begin.length < lookedAtMax) begin += new TextDecoder().decode(bytes)
    }
    const path = new URL(request.url).pathname
    const protocol = endings.find(([ending]) => path.endsWith(ending))?.[1]
    if (!protocol) return new Response('{}', { status: 404 })
    const shape = /shape: ([\w ,-]+)!/.exec(begin)?.[1] ?? ''
    const isStream = path.endsWith(':streamGenerateContent') || begin.includes('"stream":true')
    return isStream ? streamOf(protocol, shape) : wholeOf(protocol, shape)
  },
})
process.stdout.write(`${server.port}\n`)

function wholeOf(protocol: ProtocolName, shape: string): Response {
  const filling = replyShapes[shape]?.() ?? {}
  const headers = { 'content-type': 'application/json' }
  return new Response(wholeReply(protocol, filling), { headers })
}

function streamOf(protocol: ProtocolName, shape: string): Response {
  const headers = { 'content-type': 'text/event-stream' }
  const end = streamedReply(protocol, {})
  const long = longStream(protocol, shape)
  if (long) {
    const { first, event, count, last } = long
    return new Response(piecesOf(event, count, last, { first }), { headers })
  }
  switch (shape) {
    case '1,000,000 empty events':
      return new Response(piecesOf(`data: {}\n\n`, 1_000_000, end), { headers })
    case '1,000,000 comments':
      return new Response(piecesOf(':\n\n', 1_000_000, end), { headers })
    case '300,000 small deltas':
      return new Response(piecesOf(delta(protocol, 'a '), 300_000, end), { headers })
    case '140 large deltas':
      return new Response(piecesOf(delta(protocol, 'many words '.repeat(5_000)), 140, end), {
        headers,
      })
    case 'an event in chunks of one byte':
      return new Response(
        piecesOf('', 0, streamedReply(protocol, { text: 'a'.repeat(1_000_000) }), { endBytes: 1 }),
        {
          headers,
        },
      )
    case '2,000,000 lines in one event':
      return new Response(piecesOf('data: 1\n', 2_000_000, `\n${end}`), { headers })
    case 'an endless event, packed': {
      const packed = gzipSync(`data: {"x":"${'a'.repeat(200 * 1024 * 1024)}`)
      return new Response(packed, { headers: { ...headers, 'content-encoding': 'gzip' } })
    }
    default:
      return new Response(streamedReply(protocol, replyShapes[shape]?.() ?? {}), { headers })
  }
}

/** A text repeated many times, followed by the end; writes as much at once as the reader accepts. */
function piecesOf(
  text: string,
  count: number,
  end: string,
  { first = '', endBytes }: { readonly first?: string; readonly endBytes?: number } = {},
) {
  const bytes = Buffer.byteLength(text)
  const perPiece = text === '' ? 1 : Math.ceil(sentAtOnce / bytes)
  const piece = new TextEncoder().encode(text.repeat(perPiece))
  const last = new TextEncoder().encode(end)
  let left = count
  let at = 0
  return new ReadableStream({
    start(controller) {
      if (first !== '') controller.enqueue(new TextEncoder().encode(first))
    },
    pull(controller) {
      if (left > 0) {
        controller.enqueue(left >= perPiece ? piece : piece.subarray(0, left * bytes))
        left -= perPiece
        return
      }
      const size = endBytes ?? last.length
      for (let sent = 0; sent < 1_000 && at < last.length; sent += 1) {
        controller.enqueue(last.subarray(at, at + size))
        at += size
      }
      if (at >= last.length) controller.close()
    },
  })
}
