import { afterEach, describe, expect, test } from 'bun:test'
import { once } from 'node:events'
import { connect, createServer, type Socket } from 'node:net'
import { OutgoingFailure } from '../../../src/http-out/reply.ts'
import { SocketClient, type SocketRequest } from '../../../src/http-out/socket-client.ts'
import { StopSwitch } from '../../../src/http-out/stop-switch.ts'
import { readProxyVerdict } from '../../../src/http-out/tunnel.ts'
import { missingPart } from '../../support/missing-part.ts'
import { hasOpenssl, makePrivateCa } from '../../support/outgoing/make-private-ca.ts'
import { type Arrival, startRawUpstream } from '../../support/outgoing/start-raw-upstream.ts'

const parts = {
  monotonicMs: () => performance.now(),
  resolve: async () => ['127.0.0.1'],
  isPublic: () => false,
}
const ok = 'HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok'
const closers: (() => unknown)[] = []
afterEach(async () => {
  for (const close of closers.splice(0)) await close()
})

/** A proxy that handles each connection as the test defines. */
async function openProxy(onSocket: (socket: Socket) => void): Promise<string> {
  const sockets: Socket[] = []
  const server = createServer((socket) => {
    sockets.push(socket)
    socket.on('error', () => undefined)
    onSocket(socket)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  closers.push(() => {
    for (const socket of sockets) socket.destroy()
    server.close()
  })
  const address = server.address()
  return `http://127.0.0.1:${typeof address === 'object' ? address?.port : 0}`
}

/** Connects every tunnel to this port, whatever was requested. */
function leadingTo(port: number, heads: string[] = []): (socket: Socket) => void {
  return (socket) => {
    socket.once('data', (bytes) => {
      heads.push(bytes.toString('latin1'))
      const far = connect(port, '127.0.0.1', () => {
        socket.write('HTTP/1.1 200 Through\r\n\r\n')
        socket.pipe(far).pipe(socket)
      })
      far.on('error', () => socket.destroy())
      socket.on('close', () => far.destroy())
    })
  }
}

function requestOver(proxy: string, ca: string | undefined, own: Partial<SocketRequest> = {}) {
  return {
    method: 'POST',
    url: 'https://api.example/v1',
    headers: new Headers({ authorization: 'Bearer k' }),
    body: '{}',
    stop: new StopSwitch(),
    connection: { ca, allowsPrivate: false, proxy },
    connectMs: 5_000,
    ...own,
  }
}

async function outcomeOf(work: Promise<unknown>): Promise<string> {
  return work.then(
    () => 'no failure',
    (error: unknown) => (error instanceof OutgoingFailure ? error.kind : String(error)),
  )
}

describe('the response of a proxy to CONNECT', () => {
  const rows: [text: string, boolean | undefined, string, times?: number][] = [
    ['HTTP/1.1 200 Connection established\r\n\r\n', true, ''],
    ['HTTP/1.0 200 OK\r\nvia: x\r\n\r\n', true, ''],
    ['HTTP/1.1 200 OK\r\nvia: x\r\n', undefined, ''],
    ['HTTP/1.1 407 Who are you\r\ncontent-length: 3\r\n\r\nwho', false, 'user or password'],
    ['HTTP/1.1 403 No\r\n\r\n', false, 'HTTP 403'],
    ['HTTP/1.1 302 There\r\nlocation: http://evil/\r\n\r\n', false, 'HTTP 302'],
    ['SSH-2.0-OpenSSH_9\r\n\r\n', false, 'does not speak HTTP'],
    ['HTTP/1.1 200 OK\r\n\r\nmore', false, 'sends data after'],
    ['never ', false, 'did not finish its response to CONNECT', 4_000],
  ]
  test.each(rows)('%j', (text, isGiven, why, times = 1) => {
    const assent = readProxyVerdict(Buffer.from(text.repeat(times)))
    expect(assent?.isGiven).toBe(isGiven)
    if (assent && !assent.isGiven) expect(assent.why).toContain(why)
  })
})

describe('a tunnel that does not open', () => {
  const rows: [string, (socket: Socket) => void, string][] = [
    ['a proxy that does not respond', () => undefined, 'connect_timeout'],
    [
      'a proxy to a host that does not respond',
      (socket) => void socket.write('HTTP/1.1 200 OK\r\n\r\n'),
      'connect_timeout',
    ],
    [
      'a proxy that closes the connection',
      (socket) => void socket.once('data', () => socket.end()),
      'connect_failed',
    ],
    [
      'a proxy that closes the connection during the handshake',
      (socket) => {
        socket.once('data', () => {
          socket.write('HTTP/1.1 200 OK\r\n\r\n')
          socket.once('data', () => socket.destroy())
        })
      },
      'tls_failed',
    ],
    [
      'a proxy that refuses',
      (socket) => void socket.end('HTTP/1.1 403 No\r\ncontent-length: 0\r\n\r\n'),
      'proxy_refused',
    ],
  ]
  test.each(rows)('%s', async (_, onSocket, kind) => {
    const proxy = await openProxy(onSocket)
    const connectMs = kind === 'connect_timeout' ? 100 : 5_000
    const request = requestOver(proxy, undefined, { connectMs })
    expect(await outcomeOf(new SocketClient(parts).send(request))).toBe(kind)
  })
})

if (!hasOpenssl) missingPart('outgoing: tunnels', 'no openssl')
if (hasOpenssl) describe('a tunnel', aboutTunnels)

function aboutTunnels() {
  const ca = makePrivateCa('api.example')

  async function open(play: (arrival: Arrival) => void) {
    const heads: string[] = []
    const upstream = await startRawUpstream(play, ca.certificate)
    closers.push(() => upstream.stop())
    const proxy = await openProxy(leadingTo(upstream.port, heads))
    const client = new SocketClient(parts)
    const ask = (own: Partial<SocketRequest> = {}) => client.send(requestOver(proxy, ca.root, own))
    return { upstream, proxy, heads, ask }
  }
  const textOf = async (reply: Awaited<ReturnType<SocketClient['send']>>) =>
    Buffer.from((await reply.body.readWhole(10_000_000)) ?? []).toString()

  test('is reused, and its proxy sees only the name', async () => {
    const { upstream, heads, ask } = await open(({ socket }) => void socket.write(ok))
    for (const _ of [1, 2, 3]) expect(await textOf(await ask())).toBe('ok')
    expect(upstream.arrivals.map(({ turn }) => turn)).toEqual([1, 2, 3])
    expect(heads).toEqual(['CONNECT api.example:443 HTTP/1.1\r\nhost: api.example:443\r\n\r\n'])
    expect(upstream.arrivals[0]?.head).toStartWith('POST /v1 HTTP/1.1\r\nhost: api.example\r\n')
  })

  test('delivers a whole answer that ends with the connection', async () => {
    const long = 'x'.repeat(3_000_000)
    const { ask } = await open(({ socket }) => void socket.end(`HTTP/1.1 200 OK\r\n\r\n${long}`))
    expect((await textOf(await ask())).length).toBe(long.length)
  })

  test('to a host other than the requested one gets no request', async () => {
    const { upstream, proxy, ask } = await open(({ socket }) => void socket.write(ok))
    const connection = { ca: undefined, allowsPrivate: false, proxy }
    expect(await outcomeOf(ask({ connection }))).toBe('tls_failed')
    expect(await outcomeOf(ask({ url: 'https://other.example/v1' }))).toBe('tls_failed')
    expect(upstream.arrivals).toEqual([])
  })

  test.each([1, 2])('that is closed without an answer to its request %d', async (turn) => {
    const { upstream, ask } = await open((arrival) => {
      if (arrival.turn === turn) arrival.socket.destroy()
      else arrival.socket.write(ok)
    })
    for (let before = 1; before < turn; before += 1) expect(await textOf(await ask())).toBe('ok')
    const kind = turn === 1 ? 'closed_before_answer' : 'stale_connection'
    expect(await outcomeOf(ask())).toBe(kind)
    expect(upstream.arrivals).toHaveLength(turn)
  })

  test('is closed completely by a stop', async () => {
    const closed = Promise.withResolvers<void>()
    const { ask } = await open(({ socket }) => {
      socket.once('close', () => closed.resolve())
      socket.write('HTTP/1.1 200 OK\r\ncontent-length: 5\r\n\r\nhe')
    })
    const stop = new StopSwitch()
    const reply = await ask({ stop })
    const whole = reply.body.readWhole(1_000)
    stop.stop()
    expect(await outcomeOf(whole)).toBe('stopped')
    await closed.promise
  })

  test('without a reader is paused, and loses nothing', async () => {
    const pieceBytes = 64 * 1_024
    const pieces = 300
    const sent = { count: 0 }
    const { ask } = await open(({ socket }) => {
      socket.write('HTTP/1.1 200 OK\r\n\r\n')
      const more = (): void => {
        while (sent.count < pieces && !socket.writableNeedDrain) {
          socket.write(Buffer.alloc(pieceBytes, sent.count % 251))
          sent.count += 1
        }
        if (sent.count === pieces) socket.end()
        else socket.once('drain', more)
      }
      more()
    })
    const reply = await ask({ headers: new Headers({ accept: 'text/event-stream' }) })
    for (let before = -1; before !== sent.count; ) {
      before = sent.count
      for (let turn = 0; turn < 300; turn += 1)
        await new Promise((resolve) => {
          setImmediate(resolve)
        })
    }
    expect(sent.count).toBeLessThan(pieces)
    let read = 0
    let wrong = 0
    let largest = 0
    for (let piece = await reply.body.read(); piece; piece = await reply.body.read()) {
      largest = Math.max(largest, piece.length)
      for (const byte of piece) {
        if (byte !== Math.floor(read / pieceBytes) % 251) wrong += 1
        read += 1
      }
    }
    expect({ read, wrong }).toEqual({ read: pieces * pieceBytes, wrong: 0 })
    // The size of one receive, plus the rest of a TLS record.
    expect(largest).toBeLessThanOrEqual(256 * 1_024)
  })
}
