import type { Connection, ConnectionOwner, Sending } from './connection.ts'
import { OpeningConnection, type PoolTarget } from './opening.ts'
import { OutgoingFailure } from './reply.ts'

const poolLimits = {
  /** Idle connections kept per target. */
  idleMax: 1_024,
  /** A connection that is idle for this long is closed; most servers wait longer. */
  idleMs: 30_000,
  /** Subtracted from the idle time that the upstream announces: the upstream may already be closing the connection. */
  marginMs: 1_000,
  /** Per target, idle connections included. */
  connectionsMax: 16_384,
}

/** Connections to one target. The pool reuses the idle connection that was used last; otherwise it opens a new one. */
export class ConnectionPool implements ConnectionOwner {
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
    const connection = sending.isFresh ? undefined : this.#idle.pop()
    if (connection && this.#isOld(connection)) {
      this.#count -= 1
      connection.close()
      this.send(sending)
    } else if (connection) {
      connection.hold()
      connection.send(sending)
    } else if (this.#count >= poolLimits.connectionsMax) {
      sending.reject(
        new OutgoingFailure('there are too many connections to this host', {
          kind: 'connect_failed',
        }),
      )
    } else {
      this.#count += 1
      void new OpeningConnection(this.#target, this, sending).begin()
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

  /** The pool has no owner any more, so it keeps no connections. */
  retire(): void {
    this.#isRetired = true
    for (const connection of this.#idle.splice(0)) {
      this.#count -= 1
      connection.close()
    }
  }

  /** Closes connections that are idle for too long. */
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
