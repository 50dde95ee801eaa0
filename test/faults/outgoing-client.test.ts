import { afterAll, describe, expect, test } from 'bun:test'
import { setImmediate } from 'node:timers/promises'
import { gzipSync } from 'node:zlib'
import { createSendHttp } from '../../src/http-out/outgoing-http.ts'
import { StopSwitch } from '../../src/http-out/stop-switch.ts'
import {
  type Arrival,
  answerOk,
  type RawUpstream,
  startRawUpstream,
} from '../support/outgoing/start-raw-upstream.ts'

/*
 * Conditions that the client for upstreams must survive, with and without a reader. Nothing may throw out of a
 * callback: an unhandled error ends the whole process, and fails these tests.
 */

const send = createSendHttp()
const opened: RawUpstream[] = []
afterAll(() => Promise.all(opened.map((each) => each.stop())))

async function place(
  play: (arrival: Arrival) => void,
): Promise<{ upstream: RawUpstream; ask: Ask }> {
  const upstream = await startRawUpstream(play)
  opened.push(upstream)
  const ask = (stop = new StopSwitch()) =>
    send({
      url: `http://127.0.0.1:${upstream.port}/v1`,
      headers: new Headers(),
      body: '{}',
      stop,
    })
  return { upstream, ask }
}
type Ask = (stop?: StopSwitch) => ReturnType<typeof send>

const textOf = (bytes: Uint8Array | undefined) => new TextDecoder().decode(bytes)
const nameOf = (error: unknown) => (error instanceof Error ? error.name : String(error))
/** Waits until everything in transit has arrived: many turns of the event loop, and an answer on another connection. */
async function settled(): Promise<void> {
  const { ask } = await place(({ socket }) => void socket.write(answerOk))
  for (let turn = 0; turn < 200; turn += 1) await setImmediate()
  await (await ask()).body.readWhole(10)
}

describe('a long response that is not read', () => {
  // A little more than the client receives ahead of its reader.
  const long = 'x'.repeat(100 * 1024)
  const answerLong = `HTTP/1.1 200 OK\r\ncontent-length: ${long.length}\r\n\r\n${long}`
  /** Only the first request gets the long answer, on any connection. */
  const longFirst = () => {
    let count = 0
    return place(({ socket }) => {
      count += 1
      socket.write(count === 1 ? answerLong : answerOk)
    })
  }

  test('does not delay the next request on any connection', async () => {
    const { ask } = await longFirst()
    const first = await ask()
    // The whole answer has arrived by now, and is unread.
    await settled()
    expect(textOf(await (await ask()).body.readWhole(10))).toBe('ok')
    expect(textOf(await first.body.readWhole(1024 ** 2))).toBe(long)
    expect(textOf(await (await ask()).body.readWhole(10))).toBe('ok')
  })

  test('does not delay the next request after it is aborted', async () => {
    const { ask } = await longFirst()
    const stop = new StopSwitch()
    const first = await ask(stop)
    await settled()
    stop.stop()
    first.body.cancel()
    expect(textOf(await (await ask()).body.readWhole(10))).toBe('ok')
  })
})

describe('a response followed by extra bytes', () => {
  test.each(['HTTP/1.1 500 Wrong\r\n', '\r\n', '0'])(
    'closes its connection instead of reusing it',
    async (more) => {
      const { upstream, ask } = await place(({ socket }) => void socket.write(answerOk + more))
      for (const _ of [1, 2, 3]) expect(textOf(await (await ask()).body.readWhole(10))).toBe('ok')
      expect(upstream.arrivals.map(({ connection }) => connection)).toEqual([1, 2, 3])
    },
  )
})

describe('a request that is aborted before it is sent', () => {
  test('is not sent', async () => {
    const { upstream, ask } = await place(({ socket }) => void socket.write(answerOk))
    const stop = new StopSwitch()
    stop.stop()
    expect(await ask(stop).then(() => 'sent', String)).toContain('stopped')
    expect(textOf(await (await ask()).body.readWhole(10))).toBe('ok')
    expect(await ask(stop).then(() => 'sent', String)).toContain('stopped')
    expect(upstream.arrivals).toHaveLength(1)
  })
})

describe('a compressed response', () => {
  const packed = gzipSync('hello '.repeat(100))
  const head = 'HTTP/1.1 200 OK\r\ncontent-encoding: gzip\r\ntransfer-encoding: chunked\r\n\r\n'
  const chunk = (bytes: Uint8Array) =>
    Buffer.concat([Buffer.from(`${bytes.length.toString(16)}\r\n`), bytes, Buffer.from('\r\n')])
  const bodies: [string, Uint8Array][] = [
    ['is truncated', packed.subarray(0, 20)],
    ['is not compressed', Buffer.from('{"error": "none of it is packed"}')],
  ]
  for (const [what, bytes] of bodies) {
    test.each(['end', 'resetAndDestroy', 'stop'] as const)(
      `that ${what}, unread: %s`,
      async (how) => {
        const { upstream, ask } = await place(({ socket }) => {
          socket.write(head)
          socket.write(chunk(bytes))
        })
        const stop = new StopSwitch()
        const reply = await ask(stop)
        await settled()
        if (how === 'stop') stop.stop()
        else upstream.arrivals[0]?.socket[how]()
        await settled()
        expect(await reply.body.readWhole(1_000).then(textOf, nameOf)).toBe('OutgoingFailure')
      },
    )
  }

  test('is decompressed', async () => {
    const { ask } = await place(({ socket }) => {
      socket.write(head)
      for (const byte of packed) socket.write(chunk(Uint8Array.of(byte)))
      socket.write('0\r\n\r\n')
    })
    expect(textOf(await (await ask()).body.readWhole(10_000))).toBe('hello '.repeat(100))
  })
})

describe('a response head', () => {
  const rows: [string, string, string][] = [
    [
      'with bare line feeds, and CRLF in the body',
      'HTTP/1.1 200 OK\ncontent-length: 6\n\na\r\n\r\nb',
      'a\r\n\r\nb',
    ],
    ['after a 103 response', `HTTP/1.1 103 Early Hints\r\nlink: x\r\n\r\n${answerOk}`, 'ok'],
    ['of HTTP/1.0 with a body that ends with the connection', 'HTTP/1.0 200 OK\r\n\r\nold', 'old'],
    [
      'with two different content-length fields',
      'HTTP/1.1 200 OK\r\ncontent-length: 2\r\ncontent-length: 3\r\n\r\nabc',
      'OutgoingFailure',
    ],
    [
      'with a negative content-length',
      'HTTP/1.1 200 OK\r\ncontent-length: -1\r\n\r\nabc',
      'OutgoingFailure',
    ],
    [
      'with a folded header field',
      'HTTP/1.1 200 OK\r\na: b\r\n c: d\r\ncontent-length: 2\r\n\r\nok',
      'OutgoingFailure',
    ],
    ['that never ends', `HTTP/1.1 200 OK\r\n${'a: b\r\n'.repeat(20_000)}`, 'OutgoingFailure'],
    [
      'after more interim responses than any server sends',
      `${'HTTP/1.1 102 Processing\r\n\r\n'.repeat(200)}${answerOk}`,
      'OutgoingFailure',
    ],
    ['that changes the protocol', 'HTTP/1.1 101 Switching Protocols\r\n\r\n', 'OutgoingFailure'],
  ]
  test.each(rows)('%s', async (_name, written, expected) => {
    const { ask } = await place(({ socket }) => void socket.end(written))
    const read = ask().then(async ({ body }) => textOf(await body.readWhole(1_000)))
    expect(await read.catch(nameOf)).toBe(expected)
  })
})
