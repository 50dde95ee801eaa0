import { once } from 'node:events'
import { createServer, type Server, type Socket } from 'node:net'

/** One connection as the server sees it. */
export interface RawPeer {
  readonly socket: Socket
  /** Everything that was received on it so far. */
  text(): string
  readonly closed: Promise<void>
  /** Resolves when this many complete requests have arrived on this connection. */
  requests(count: number): Promise<void>
}

export interface RawServer {
  readonly url: string
  readonly peers: RawPeer[]
  /** The next connection, or an existing one. */
  peer(index: number): Promise<RawPeer>
  stop(): void
}

/** A server without behaviour of its own: each test defines the bytes that it sends. */
export async function startRawServer(
  onPeer: (peer: RawPeer) => unknown = () => undefined,
): Promise<RawServer> {
  const peers: RawPeer[] = []
  const arrivals = new EventTarget()
  const server: Server = createServer((socket) => {
    socket.on('error', () => undefined)
    const peer = openPeer(socket)
    peers.push(peer)
    arrivals.dispatchEvent(new Event('peer'))
    onPeer(peer)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  if (!address || typeof address === 'string') throw new Error('no port')
  return {
    url: `http://127.0.0.1:${address.port}`,
    peers,
    peer: async (index) => {
      for (;;) {
        const peer = peers[index]
        if (peer) return peer
        await new Promise((resolve) => {
          arrivals.addEventListener('peer', resolve, { once: true })
        })
      }
    },
    stop: () => {
      for (const { socket } of peers) socket.destroy()
      server.close()
    },
  }
}

function openPeer(socket: Socket): RawPeer {
  const pieces: Buffer[] = []
  socket.on('data', (piece) => void pieces.push(Buffer.from(piece)))
  const text = (): string => Buffer.concat(pieces).toString('latin1')
  return {
    socket,
    text,
    closed: new Promise((resolve) => {
      socket.once('close', () => resolve())
    }),
    requests: async (count) => {
      while (countRequests(text()) < count) {
        await new Promise((resolve) => {
          socket.once('data', resolve)
        })
      }
    },
  }
}

/** Requests of the test carry a body of declared length. */
function countRequests(text: string): number {
  let rest = text
  for (let count = 0; ; count += 1) {
    const end = rest.indexOf('\r\n\r\n')
    if (end < 0) return count
    const length = Number(/content-length: (\d+)/.exec(rest.slice(0, end))?.[1] ?? 0)
    if (rest.length < end + 4 + length) return count
    rest = rest.slice(end + 4 + length)
  }
}
