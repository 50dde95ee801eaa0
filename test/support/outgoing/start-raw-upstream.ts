import { createServer, type Socket } from 'node:net'
import { createServer as createSecureServer } from 'node:tls'
import type { Certificate } from './make-private-ca.ts'

/** One request with its exact bytes, not parsed by any HTTP library. */
export interface Arrival {
  readonly head: string
  readonly body: string
  /** The number of the connection, and of the request on it, both from 1. */
  readonly connection: number
  readonly turn: number
  readonly socket: Socket
}

export interface RawUpstream {
  readonly port: number
  readonly arrivals: readonly Arrival[]
  stop(): Promise<void>
}

export const answerOk = 'HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok'

/** A listener that handles each request and its socket with `play`. */
export async function startRawUpstream(
  play: (arrival: Arrival) => void,
  certificate?: Certificate,
): Promise<RawUpstream> {
  const arrivals: Arrival[] = []
  const sockets = new Set<Socket>()
  let connections = 0
  const serve = (socket: Socket) => {
    sockets.add(socket)
    let connection = 0
    let turn = 0
    let text = ''
    socket.on('error', () => undefined)
    socket.on('data', (bytes) => {
      // A connection that is opened and closed without a byte is not counted.
      if (connection === 0) connection = ++connections
      text += bytes.toString('latin1')
      for (;;) {
        const headEnd = text.indexOf('\r\n\r\n')
        if (headEnd < 0) return
        const head = text.slice(0, headEnd)
        const bodyBytes = Number(/content-length: (\d+)/i.exec(head)?.[1] ?? 0)
        const end = headEnd + 4 + bodyBytes
        if (text.length < end) return
        const body = text.slice(headEnd + 4, end)
        text = text.slice(end)
        turn += 1
        const arrival = { head, body, connection, turn, socket }
        arrivals.push(arrival)
        play(arrival)
      }
    })
  }
  const server = certificate ? createSecureServer(certificate, serve) : createServer(serve)
  server.on('tlsClientError', () => undefined)
  const port = await new Promise<number>((resolve, reject) => {
    server.on('error', reject)
    server.listen(0, '127.0.0.1', () => {
      const address = server.address()
      resolve(typeof address === 'object' ? (address?.port ?? 0) : 0)
    })
  })
  return {
    port,
    arrivals,
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        for (const socket of sockets) socket.destroy()
      }),
  }
}
