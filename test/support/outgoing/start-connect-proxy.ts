import { connect, createServer, type Socket } from 'node:net'

export interface ConnectProxy {
  readonly port: number
  /** The request lines that the proxy received, in order. */
  readonly heads: readonly string[]
  stop(): Promise<void>
}

/** A forward proxy that requires this user and password, and resolves every host name to this machine. */
export async function startConnectProxy(userAndPassword: string): Promise<ConnectProxy> {
  const heads: string[] = []
  const sockets = new Set<Socket>()
  const wanted = `proxy-authorization: basic ${Buffer.from(userAndPassword).toString('base64')}`
  const keep = (socket: Socket) => {
    sockets.add(socket)
    socket.on('error', () => undefined)
    return socket
  }
  const server = createServer((client) => {
    keep(client).once('data', (bytes) => {
      client.pause()
      const text = bytes.toString('latin1')
      const [head = ''] = text.split('\r\n\r\n')
      heads.push(head)
      if (!head.toLowerCase().includes(wanted.toLowerCase())) {
        client.end('HTTP/1.1 407 Proxy Authentication Required\r\ncontent-length: 0\r\n\r\n')
        return
      }
      const isTunnel = head.startsWith('CONNECT ')
      const [, port] = /^\S+ (?:http:\/\/)?[^\s/:]+:(\d+)/.exec(head) ?? []
      const upstream = keep(connect(Number(port), '127.0.0.1'))
      upstream.on('connect', () => {
        upstream.pipe(client)
        if (isTunnel) {
          client.write('HTTP/1.1 200 Connection established\r\n\r\n')
          client.pipe(upstream)
          return
        }
        upstream.write(passedOn(text), 'latin1')
        client.on('data', (more) => upstream.write(passedOn(more.toString('latin1')), 'latin1'))
        client.resume()
      })
      upstream.on('close', () => client.end())
      client.on('close', () => upstream.destroy())
    })
  })
  const port = await new Promise<number>((resolve) => {
    server.listen(0, '127.0.0.1', () => {
      const address = server.address()
      resolve(typeof address === 'object' ? (address?.port ?? 0) : 0)
    })
  })
  return {
    port,
    heads,
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        for (const socket of sockets) socket.destroy()
      }),
  }
}

/** A request as it leaves the proxy: with the path only, and without the proxy's headers. */
function passedOn(text: string): string {
  return text
    .replace(/^([A-Z]+) http:\/\/[^/\s]+/, '$1 ')
    .replace(/\r\nproxy-authorization: [^\r]*/i, '')
}
