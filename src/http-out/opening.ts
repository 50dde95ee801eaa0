import type { Socket, TLSOptions } from 'bun'
import { Connection, type ConnectionKeeper, type Sending } from './connection.ts'
import { type LimitReceive, loadReceiveLimit } from './receive-limit.ts'
import { OutgoingFailure } from './reply.ts'
import { readAssent, type Tunnel } from './tunnel.ts'

export interface PoolTarget {
  readonly port: number
  readonly tls: TLSOptions | undefined
  /** From the first look-up to a connection that can be written to. */
  readonly connectMs: number
  /** Whether its answers are streams, which somebody may read more slowly than they come. */
  readonly isForStreams: boolean
  /** How a proxy is asked to lead through to it; undefined where there is nothing to ask. */
  readonly tunnel: Tunnel | undefined
  /** Where it may be connected to, in the order to try. */
  addresses(): readonly string[] | Promise<readonly string[]>
}

/** Who is told of connections that are opened. */
export interface OpeningKeeper extends ConnectionKeeper {
  notOpened(): void
}

/**
 * What the kernel is told to receive ahead for a stream; it takes up to twice as much. Enough for any model's words
 * over any distance, and little enough for all who do not read.
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

/** A connection that is being opened for the request that needs it, within one limit for all of it. */
export class OpeningConnection {
  connection: Connection | undefined
  readonly #target: PoolTarget
  readonly #pool: OpeningKeeper
  readonly #sending: Sending
  readonly #timer: ReturnType<typeof setTimeout>
  #socket: OpeningSocket | undefined
  #limitReceive: LimitReceive | undefined
  #proxyBytes = Buffer.alloc(0)
  /** What comes on the proxy's own socket is told by the one inside of it as well. */
  #isThrough = false
  #isOver = false

  constructor(target: PoolTarget, pool: OpeningKeeper, sending: Sending) {
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

  /** One address after the other, until one of them takes a connection. */
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

  /** There is a socket, but over TLS nobody has proved yet who is at its other end. */
  opened(socket: OpeningSocket): void {
    this.#socket = socket
    if (this.#isOver) socket.terminate()
    else this.#limitReceive?.(socket, receiveBytes)
  }

  /** The proxy is there: it is asked to lead through. */
  askProxy(socket: OpeningSocket): void {
    const head = this.#target.tunnel?.head ?? ''
    if (socket.write(head) < head.length) this.fail('connect_failed', 'its proxy takes nothing')
  }

  /** What a proxy says; from its assent on what comes is the upstream's, encrypted. */
  hearProxy(socket: OpeningSocket, bytes: Buffer): void {
    if (this.#isThrough || this.#isOver) return
    this.#proxyBytes = Buffer.concat([this.#proxyBytes, bytes])
    const assent = readAssent(this.#proxyBytes)
    if (!assent) return
    if (!assent.isGiven) {
      this.fail('proxy_refused', assent.why)
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
    // A model may think for minutes: what stands between must not take the connection for dead.
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
  /** The runtime has checked the chain and the name; without both nothing is sent. */
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
  data: (socket: OpeningSocket, bytes: Buffer) => socket.data.hearProxy(socket, bytes),
  drain: () => undefined,
}

function over(socket: OpeningSocket): void {
  const { connection } = socket.data
  if (connection) connection.onClose()
  else socket.data.fail('connect_failed', 'the connection was closed while it was being opened')
}

/** With the code of the system, such as ECONNREFUSED: its message alone says only that there is no connection. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  const code = 'code' in error && typeof error.code === 'string' ? error.code : ''
  return code === '' || error.message.includes(code) ? error.message : `${error.message} (${code})`
}
