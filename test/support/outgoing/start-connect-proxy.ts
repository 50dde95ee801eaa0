import { connect, createServer, type Socket } from 'node:net'

export interface ConnectProxy {
  readonly port: number
  /** The first lines of what it was asked, in order. */
  readonly heads: readonly string[]
  stop(): Promise<void>
}

/** A forward proxy that wants this user and password, and leads every name to this machine. */
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
        if (isTunnel) client.write('HTTP/1.1 200 Connection established\r\n\r\n')
        else upstream.write(text, 'latin1')
        client.pipe(upstream)
        upstream.pipe(client)
      })
      upstream.on('close', () => client.destroy())
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
