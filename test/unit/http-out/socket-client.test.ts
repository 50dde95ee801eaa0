import { afterEach, describe, expect, test } from 'bun:test'
import { OutgoingFailure, type UpstreamResponse } from '../../../src/http-out/reply.ts'
import { SocketClient, type SocketRequest } from '../../../src/http-out/socket-client.ts'
import { StopSwitch } from '../../../src/http-out/stop-switch.ts'
import { type RawPeer, type RawServer, startRawServer } from './raw-server.ts'

const parts = {
  monotonicMs: () => performance.now(),
  resolve: async () => ['127.0.0.1'],
  isPublic: () => false,
}
const ok = 'HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok'
const pieceBytes = 64 * 1_024
const bigBytes = 512 * pieceBytes
let servers: RawServer[] = []

afterEach(() => {
  for (const server of servers) server.stop()
  servers = []
})

async function serve(onPeer?: (peer: RawPeer) => unknown): Promise<RawServer> {
  const server = await startRawServer(onPeer)
  servers.push(server)
  return server
}

function requestTo(server: { url: string }, over: Partial<SocketRequest> = {}): SocketRequest {
  return {
    method: 'POST',
    url: `${server.url}/v1/x?y=1`,
    headers: new Headers({ authorization: 'Bearer k' }),
    body: '{"a":"ü"}',
    stop: new StopSwitch(),
    connection: { ca: undefined, allowsPrivate: false, proxy: undefined },
    connectMs: 5_000,
    ...over,
  }
}

async function textOf(reply: UpstreamResponse): Promise<string> {
  const bytes = await reply.body.readWhole(1_000_000)
  return Buffer.from(bytes ?? []).toString()
}

async function kindOf(work: Promise<unknown>): Promise<string> {
  return work.then(
    () => 'no failure',
    (error: unknown) => (error instanceof OutgoingFailure ? error.kind : String(error)),
  )
}

/** Answers each request with this text, in these pieces. */
function answering(...pieces: readonly string[]): (peer: RawPeer) => Promise<void> {
  return async (peer) => {
    for (let count = 1; ; count += 1) {
      await peer.requests(count)
      for (const piece of pieces) peer.socket.write(piece, 'latin1')
    }
  }
}

describe('a request', () => {
  test('is written once, with its length in bytes', async () => {
    const server = await serve(answering(ok))
    const reply = await new SocketClient(parts).send(requestTo(server))
    expect(await textOf(reply)).toBe('ok')
    const host = server.url.replace('http://', '')
    expect(server.peers[0]?.text()).toBe(
      `POST /v1/x?y=1 HTTP/1.1\r\nhost: ${host}\r\nuser-agent: tollgate\r\nauthorization: Bearer k\r\ncontent-length: 10\r\n\r\n${Buffer.from('{"a":"ü"}').toString('latin1')}`,
    )
  })

  test('keeps header bytes beyond ASCII', async () => {
    const server = await serve(answering(ok))
    await new SocketClient(parts).send(
      requestTo(server, { headers: new Headers({ x: 'caf\xe9' }) }),
    )
    expect(server.peers[0]?.text()).toContain('x: caf\xe9\r\n')
  })

  test('larger than one write to the socket arrives completely', async () => {
    const server = await serve((peer) => peer.socket.pause())
    const body = 'x'.repeat(20_000_000)
    const answer = new SocketClient(parts).send(requestTo(server, { body }))
    const peer = await server.peer(0)
    peer.socket.resume()
    await peer.requests(1)
    peer.socket.write(ok)
    expect(await textOf(await answer)).toBe('ok')
    expect(peer.text().length - peer.text().indexOf('\r\n\r\n') - 4).toBe(body.length)
  })
})

describe('a reply', () => {
  test.each([
    ['with a content length', ['HTTP/1.1 200 OK\r\ncontent-length: 5\r\n\r\nhello'], 'hello'],
    [
      'in many pieces',
      ['HT', 'TP/1.1 200 OK\r\ncont', 'ent-length: 5\r\n\r', '\nhe', 'llo'],
      'hello',
    ],
    [
      'in chunks',
      ['HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n2\r\nhe\r\n3;x\r\nllo\r\n0\r\n\r\n'],
      'hello',
    ],
    [
      'after an informational response',
      [
        'HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nlink: x\r\n\r\nHTTP/1.1 200 OK\r\ncontent-length: 1\r\n\r\nx',
      ],
      'x',
    ],
    ['without carriage returns', ['HTTP/1.1 200 OK\ncontent-length: 2\n\nhi'], 'hi'],
    ['without a body', ['HTTP/1.1 204 No Content\r\n\r\n'], ''],
  ])('%s', async (_, pieces, body) => {
    const server = await serve(answering(...pieces))
    const client = new SocketClient(parts)
    expect(await textOf(await client.send(requestTo(server)))).toBe(body)
    expect(await textOf(await client.send(requestTo(server)))).toBe(body)
    expect(server.peers).toHaveLength(1)
  })

  test('that ends with its connection', async () => {
    const server = await serve(async (peer) => {
      await peer.requests(1)
      peer.socket.end('HTTP/1.1 200 OK\r\n\r\nhello')
    })
    expect(await textOf(await new SocketClient(parts).send(requestTo(server)))).toBe('hello')
  })

  test.each([
    ['HTTP/1.1 200 OK\r\ncontent-length: 5\r\n\r\nhe', 'cut_short'],
    ['HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n5\r\nhe', 'cut_short'],
    ['HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\nzz\r\n', 'bad_answer'],
  ])('%j and then the end is %s', async (text, kind) => {
    const server = await serve(async (peer) => {
      await peer.requests(1)
      peer.socket.end(text)
    })
    const reply = await new SocketClient(parts).send(requestTo(server))
    expect(await kindOf(reply.body.readWhole(1_000))).toBe(kind)
  })

  test.each([
    ['', 'closed_before_answer'],
    ['HTTP/1.1 200 OK\r\ncontent-', 'closed_before_answer'],
    ['SSH-2.0-OpenSSH_9\r\n\r\n', 'bad_answer'],
    ['HTTP/1.1 101 Switching Protocols\r\n\r\n', 'bad_answer'],
    ['HTTP/1.1 200 OK\r\ncontent-length: 2, 3\r\n\r\nab', 'bad_answer'],
    [`HTTP/1.1 200 OK\r\n${`x: ${'y'.repeat(1_000)}\r\n`.repeat(70)}`, 'bad_answer'],
  ])('%j and then the end fails as %s', async (text, kind) => {
    const server = await serve(async (peer) => {
      await peer.requests(1)
      peer.socket.end(text)
    })
    expect(await kindOf(new SocketClient(parts).send(requestTo(server)))).toBe(kind)
    expect(server.peers).toHaveLength(1)
  })

  test('larger than the limit is not read to its end', async () => {
    const server = await serve(answering('HTTP/1.1 200 OK\r\ncontent-length: 5\r\n\r\nhello'))
    const reply = await new SocketClient(parts).send(requestTo(server))
    expect(await reply.body.readWhole(4)).toBeUndefined()
  })

  test('without a reader is not read from the upstream', async () => {
    const server = await serve(async (peer) => {
      await peer.requests(1)
      peer.socket.write('HTTP/1.1 200 OK\r\n\r\n')
      let sent = 0
      const more = (): void => {
        for (let isRoom = true; isRoom && sent < bigBytes; sent += pieceBytes) {
          isRoom = peer.socket.write(Buffer.alloc(pieceBytes, (sent / pieceBytes) % 251))
        }
        if (sent >= bigBytes) peer.socket.end()
      }
      peer.socket.on('drain', more)
      more()
    })
    const reply = await new SocketClient(parts).send(requestTo(server))
    const peer = await server.peer(0)
    // Until the number of written bytes stays the same.
    for (let before = -1; before !== peer.socket.bytesWritten; ) {
      before = peer.socket.bytesWritten
      for (let turn = 0; turn < 200; turn += 1)
        await new Promise((resolve) => {
          setImmediate(resolve)
        })
    }
    expect(peer.socket.writableNeedDrain).toBe(true)
    let read = 0
    let wrong = 0
    for (let piece = await reply.body.read(); piece; piece = await reply.body.read()) {
      for (const byte of piece) {
        if (byte !== Math.floor(read / pieceBytes) % 251) wrong += 1
        read += 1
      }
    }
    expect({ read, wrong }).toEqual({ read: bigBytes, wrong: 0 })
  })
})

describe('a connection', () => {
  test('that the upstream closes while a second request is on it fails that one, and repeats nothing', async () => {
    const server = await serve(async (peer) => {
      await peer.requests(1)
      peer.socket.write(ok)
      await peer.requests(2)
      peer.socket.destroy()
    })
    const client = new SocketClient(parts)
    await textOf(await client.send(requestTo(server)))
    expect(await kindOf(client.send(requestTo(server)))).toBe('stale_connection')
    expect(server.peers).toHaveLength(1)
  })

  test.each([
    ['closes', 'HTTP/1.1 200 OK\r\nconnection: close\r\ncontent-length: 2\r\n\r\nok'],
    ['sends more than it said', `${ok}HTTP/1.1 200 OK\r\ncontent-length: 4\r\n\r\nevil`],
    ['speaks HTTP/1.0', 'HTTP/1.0 200 OK\r\ncontent-length: 2\r\n\r\nok'],
  ])('that %s is not used again', async (_, text) => {
    const server = await serve(answering(text))
    const client = new SocketClient(parts)
    expect(await textOf(await client.send(requestTo(server)))).toBe('ok')
    expect(await textOf(await client.send(requestTo(server)))).toBe('ok')
    expect(server.peers).toHaveLength(2)
  })

  test('that gets unrequested bytes is closed, and the bytes answer no request', async () => {
    const server = await serve(answering(ok))
    const client = new SocketClient(parts)
    await textOf(await client.send(requestTo(server)))
    const first = await server.peer(0)
    const { closed } = first
    first.socket.write('HTTP/1.1 200 OK\r\ncontent-length: 4\r\n\r\nevil')
    await closed
    expect(await textOf(await client.send(requestTo(server)))).toBe('ok')
    expect(server.peers).toHaveLength(2)
  })

  test.each([
    ['5', 3_999, 1],
    ['5', 4_001, 2],
    ['600', 29_999, 1],
    ['600', 30_001, 2],
  ])(
    'that is kept for %s s is used again after %i ms or not: %i connections',
    async (seconds, ms, count) => {
      let nowMs = 0
      const head = `HTTP/1.1 200 OK\r\nKeep-Alive: timeout=${seconds}, max=100\r\ncontent-length: 2\r\n\r\nok`
      const server = await serve(answering(head))
      const client = new SocketClient({ ...parts, monotonicMs: () => nowMs })
      await textOf(await client.send(requestTo(server)))
      nowMs += ms
      expect(await textOf(await client.send(requestTo(server)))).toBe('ok')
      expect(server.peers).toHaveLength(count)
    },
  )

  test('that was closed while it was idle is not written to', async () => {
    const server = await serve(answering(ok))
    const client = new SocketClient(parts)
    await textOf(await client.send(requestTo(server)))
    const first = await server.peer(0)
    const { closed } = first
    first.socket.end()
    await closed
    expect(await textOf(await client.send(requestTo(server)))).toBe('ok')
    expect([first.text().match(/POST/g), server.peers.length]).toEqual([['POST'], 2])
  })
})

describe('a stop', () => {
  test('before the answer closes the connection', async () => {
    const server = await serve()
    const stop = new StopSwitch()
    const answer = new SocketClient(parts).send(requestTo(server, { stop }))
    const peer = await server.peer(0)
    await peer.requests(1)
    const { closed } = peer
    stop.stop()
    expect(await kindOf(answer)).toBe('stopped')
    await closed
  })

  test('within the answer fails the reader, and closes the connection', async () => {
    const server = await serve(answering('HTTP/1.1 200 OK\r\ncontent-length: 5\r\n\r\nhe'))
    const stop = new StopSwitch()
    const reply = await new SocketClient(parts).send(requestTo(server, { stop }))
    const peer = await server.peer(0)
    const { closed } = peer
    const whole = reply.body.readWhole(1_000)
    stop.stop()
    expect(await kindOf(whole)).toBe('stopped')
    await closed
  })

  test('after the answer does not affect the next request on the connection', async () => {
    const server = await serve(answering(ok))
    const client = new SocketClient(parts)
    const stop = new StopSwitch()
    await textOf(await client.send(requestTo(server, { stop })))
    const next = client.send(requestTo(server))
    stop.stop()
    expect(await textOf(await next)).toBe('ok')
    expect(server.peers).toHaveLength(1)
  })
})

describe('opening a connection', () => {
  test('to a closed port fails', async () => {
    const server = await serve()
    server.stop()
    expect(await kindOf(new SocketClient(parts).send(requestTo(server)))).toBe('connect_failed')
  })

  test('has its own timeout, which includes the handshake', async () => {
    const server = await serve()
    const url = `${server.url.replace('http:', 'https:')}/x`
    expect(
      await kindOf(new SocketClient(parts).send(requestTo(server, { url, connectMs: 50 }))),
    ).toBe('connect_timeout')
  })

  test.each([
    ['a name that resolves to a private address', false, 'address_refused'],
    ['the same name where private addresses are allowed', true, 'no failure'],
  ])('to %s', async (_, allowsPrivate, outcome) => {
    const server = await serve(answering(ok))
    const url = `${server.url.replace('127.0.0.1', 'inside.example')}/x`
    const answer = new SocketClient(parts).send(
      requestTo(server, { url, connection: { ca: undefined, allowsPrivate, proxy: undefined } }),
    )
    expect(await kindOf(answer)).toBe(outcome)
    expect(server.peers).toHaveLength(allowsPrivate ? 1 : 0)
  })

  test('tries the next address when one does not answer', async () => {
    const server = await serve(answering(ok))
    const client = new SocketClient({
      ...parts,
      resolve: async () => ['127.0.0.2', '127.0.0.1'],
      isPublic: () => true,
    })
    const url = `${server.url.replace('127.0.0.1', 'two.example')}/x`
    expect(await textOf(await client.send(requestTo(server, { url })))).toBe('ok')
  })
})
