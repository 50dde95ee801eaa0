import type { Socket, TLSOptions } from 'bun'
import { Connection, type ConnectionOwner, type Sending } from './connection.ts'
import { type LimitReceive, loadReceiveLimit } from './receive-limit.ts'
import { OutgoingFailure } from './reply.ts'
import { readProxyVerdict, type Tunnel } from './tunnel.ts'

export interface PoolTarget {
  readonly port: number
  readonly tls: TLSOptions | undefined
  /** From the DNS lookup to a connection that can be written to. */
  readonly connectMs: number
  /** Whether the answers are streams, which a client may read more slowly than they arrive. */
  readonly isForStreams: boolean
  /** The CONNECT request for a proxy; undefined without a tunnel. */
  readonly tunnel: Tunnel | undefined
  /** The addresses to connect to, in the order to try. */
  addresses(): readonly string[] | Promise<readonly string[]>
}

/** Callbacks for connections that are being opened. */
export interface OpeningOwner extends ConnectionOwner {
  notOpened(): void
}

/**
 * The receive buffer that the gateway sets for a stream; the kernel allows up to twice as much. The size is enough for
 * the output of any model over any distance, and small enough for many clients that do not read.
 */
const receiveBytes = 80 * 1024

type OpeningSocket = Socket<OpeningConnection>
type OpeningFailure =
  | 'address_refused'
  | 'connect_failed'
  | 'connect_timeout'
  | 'tls_failed'
  | 'proxy_refused'
  | 'stopped'

/** Opens a connection for the request that needs it, with one time limit for all steps. */
export class OpeningConnection {
  connection: Connection | undefined
  readonly #target: PoolTarget
  readonly #pool: OpeningOwner
  readonly #sending: Sending
  readonly #timer: ReturnType<typeof setTimeout>
  #socket: OpeningSocket | undefined
  #limitReceive: LimitReceive | undefined
  #proxyBytes = Buffer.alloc(0)
  /** The tunnel is open. From now on the TLS socket inside reports the events of the proxy's socket too. */
  #isThrough = false
  #isOver = false

  constructor(target: PoolTarget, pool: OpeningOwner, sending: Sending) {
    this.#target = target
    this.#pool = pool
    this.#sending = sending
    sending.stop.onStop = () => this.fail('stopped', 'it was stopped')
    this.#timer = setTimeout(
      () => this.fail('connect_timeout', `no connection within ${target.connectMs} ms`),
      target.connectMs,
    )
  }

  async begin(): Promise<void> {
    try {
      if (this.#target.isForStreams) this.#limitReceive = await loadReceiveLimit()
      const addresses = await this.#target.addresses()
      await this.#connect(addresses)
    } catch (error) {
      const why = reasonOf(error)
      const isRefused = error instanceof OutgoingFailure && error.kind === 'address_refused'
      this.fail(isRefused ? 'address_refused' : 'connect_failed', why)
    }
  }

  /** Tries one address after the other until one accepts the connection. */
  async #connect(addresses: readonly string[]): Promise<void> {
    const { port, tls, tunnel } = this.#target
    const isSecure = tls !== undefined && !tunnel
    const socket = tunnel ? tunnelEvents : isSecure ? tlsEvents : plainEvents
    let problem: unknown
    for (const hostname of addresses) {
      if (this.#isOver) return
      try {
        await Bun.connect<OpeningConnection>({
          hostname,
          port,
          ...(isSecure ? { tls } : {}),
          socket,
          data: this,
        })
        return
      } catch (error) {
        problem = error
      }
    }
    throw problem
  }

  /** The socket is open, but over TLS the server's identity is not verified yet. */
  opened(socket: OpeningSocket): void {
    this.#socket = socket
    if (this.#isOver) socket.terminate()
    else this.#limitReceive?.(socket, receiveBytes)
  }

  /** Connected to the proxy: sends the CONNECT request. */
  askProxy(socket: OpeningSocket): void {
    const head = this.#target.tunnel?.head ?? ''
    if (socket.write(head) < head.length)
      this.fail('connect_failed', 'its proxy does not accept the CONNECT request')
  }

  /** Reads the proxy's answer. After a 2xx answer, all bytes come from the upstream, encrypted. */
  onProxyBytes(socket: OpeningSocket, bytes: Buffer): void {
    if (this.#isThrough || this.#isOver) return
    this.#proxyBytes = Buffer.concat([this.#proxyBytes, bytes])
    const verdict = readProxyVerdict(this.#proxyBytes)
    if (!verdict) return
    if (!verdict.isGiven) {
      this.fail('proxy_refused', verdict.why)
      return
    }
    this.#isThrough = true
    const { tls = {} } = this.#target
    socket.upgradeTLS<OpeningConnection>({ data: this, tls, socket: tlsEvents })
  }

  ready(socket: OpeningSocket): void {
    clearTimeout(this.#timer)
    if (this.#isOver) return
    this.#isOver = true
    socket.setNoDelay(true)
    // A model may think for minutes. Keep-alive stops firewalls and proxies on the path from dropping the connection.
    socket.setKeepAlive(true, keepAliveMs)
    this.connection = new Connection(socket, this.#pool)
    this.connection.send(this.#sending)
  }

  fail(kind: OpeningFailure, why: string): void {
    clearTimeout(this.#timer)
    if (this.#isOver) return
    this.#isOver = true
    this.#sending.stop.onStop = undefined
    this.#socket?.terminate()
    this.#pool.notOpened()
    this.#sending.reject(new OutgoingFailure(why, { kind }))
  }
}

const keepAliveMs = 30_000

const plainEvents = {
  open: (socket: OpeningSocket) => {
    socket.data.opened(socket)
    socket.data.ready(socket)
  },
  data: (socket: OpeningSocket, bytes: Buffer) => socket.data.connection?.onData(bytes),
  drain: (socket: OpeningSocket) => socket.data.connection?.onDrain(),
  close: (socket: OpeningSocket) => over(socket),
  error: (socket: OpeningSocket) => over(socket),
}

const tlsEvents = {
  ...plainEvents,
  open: (socket: OpeningSocket) => socket.data.opened(socket),
  /** The runtime has verified the chain and the name. Nothing is sent unless both are valid. */
  handshake: (socket: OpeningSocket, isAuthorised: boolean, problem: Error | null) => {
    if (isAuthorised && !problem) return socket.data.ready(socket)
    socket.data.fail('tls_failed', problem?.message ?? 'its certificate is not trusted')
  },
}

const tunnelEvents = {
  ...plainEvents,
  open: (socket: OpeningSocket) => {
    socket.data.opened(socket)
    socket.data.askProxy(socket)
  },
  data: (socket: OpeningSocket, bytes: Buffer) => socket.data.onProxyBytes(socket, bytes),
  drain: () => undefined,
}

function over(socket: OpeningSocket): void {
  const { connection } = socket.data
  if (connection) connection.onClose()
  else socket.data.fail('connect_failed', 'the connection was closed while it was being opened')
}

/** Adds the system's code, such as ECONNREFUSED. The message alone says only that there is no connection. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  const code = 'code' in error && typeof error.code === 'string' ? error.code : ''
  return code === '' || error.message.includes(code) ? error.message : `${error.message} (${code})`
}
