import type { Socket, TLSOptions } from 'bun'
import { Connection, type ConnectionKeeper, type Sending } from './connection.ts'
import { OutgoingFailure } from './reply.ts'

export interface PoolTarget {
  readonly port: number
  readonly tls: TLSOptions | undefined
  /** From the first look-up to a connection that can be written to. */
  readonly connectMs: number
  /** Where it may be connected to, in the order to try. */
  addresses(): readonly string[] | Promise<readonly string[]>
}

const poolLimits = {
  /** Idle connections that are kept to one place. */
  idleMax: 1_024,
  /** A connection that has carried nothing for this long is closed; most servers wait longer. */
  idleMs: 30_000,
  /** What the upstream says about that is believed, less so much: its closing may be on the way already. */
  marginMs: 1_000,
  /** To one place, idle ones included. */
  connectionsMax: 16_384,
}

/** Connections to one place. An idle one is used again, the latest first; otherwise a new one is opened. */
export class ConnectionPool implements ConnectionKeeper {
  readonly #target: PoolTarget
  readonly #nowMs: () => number
  readonly #idle: Connection[] = []
  #count = 0
  #isRetired = false

  constructor(target: PoolTarget, nowMs: () => number) {
    this.#target = target
    this.#nowMs = nowMs
  }

  send(sending: Sending): void {
    const connection = this.#idle.pop()
    if (connection && this.#isOld(connection)) {
      this.#count -= 1
      connection.close()
      this.send(sending)
    } else if (connection) {
      connection.hold()
      connection.send(sending)
    } else if (this.#count >= poolLimits.connectionsMax) {
      sending.reject(
        new OutgoingFailure('there are too many connections to this place', {
          kind: 'connect_failed',
        }),
      )
    } else {
      this.#count += 1
      void new Opening(this.#target, this, sending).begin()
    }
  }

  rest(connection: Connection): void {
    if (this.#isRetired || this.#idle.length >= poolLimits.idleMax) {
      this.#count -= 1
      connection.close()
      return
    }
    connection.idleSinceMs = this.#nowMs()
    this.#idle.push(connection)
  }

  forget(connection: Connection): void {
    this.#count -= 1
    const at = this.#idle.lastIndexOf(connection)
    if (at >= 0) this.#idle.splice(at, 1)
  }

  notOpened(): void {
    this.#count -= 1
  }

  /** Nobody looks after it any more: nothing is kept. */
  retire(): void {
    this.#isRetired = true
    for (const connection of this.#idle.splice(0)) {
      this.#count -= 1
      connection.close()
    }
  }

  /** Closes what has been idle for long. */
  sweep(): void {
    const idle = this.#idle.splice(0)
    for (const connection of idle) {
      if (this.#isOld(connection)) {
        this.#count -= 1
        connection.close()
      } else this.#idle.push(connection)
    }
  }

  #isOld({ idleSinceMs, keptMs = Number.POSITIVE_INFINITY }: Connection): boolean {
    const limitMs = Math.min(poolLimits.idleMs, keptMs - poolLimits.marginMs)
    return this.#nowMs() - idleSinceMs > limitMs
  }
}

type OpeningSocket = Socket<Opening>
type OpeningFailure =
  | 'address_refused'
  | 'connect_failed'
  | 'connect_timeout'
  | 'tls_failed'
  | 'stopped'

/** A connection that is being opened for the request that needs it, within one limit for all of it. */
class Opening {
  connection: Connection | undefined
  readonly #target: PoolTarget
  readonly #pool: ConnectionPool
  readonly #sending: Sending
  readonly #timer: ReturnType<typeof setTimeout>
  #socket: OpeningSocket | undefined
  #isOver = false

  constructor(target: PoolTarget, pool: ConnectionPool, sending: Sending) {
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
      const addresses = await this.#target.addresses()
      await this.#connect(addresses)
    } catch (error) {
      const why = error instanceof Error ? error.message : String(error)
      const isRefused = error instanceof OutgoingFailure && error.kind === 'address_refused'
      this.fail(isRefused ? 'address_refused' : 'connect_failed', why)
    }
  }

  /** One address after the other, until one of them takes a connection. */
  async #connect(addresses: readonly string[]): Promise<void> {
    const { port, tls } = this.#target
    let problem: unknown
    for (const hostname of addresses) {
      if (this.#isOver) return
      const socket = tls ? tlsEvents : plainEvents
      try {
        await Bun.connect<Opening>({ hostname, port, ...(tls ? { tls } : {}), socket, data: this })
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

function over(socket: OpeningSocket): void {
  const { connection } = socket.data
  if (connection) connection.onClose()
  else socket.data.fail('connect_failed', 'the connection was closed while it was being opened')
}
