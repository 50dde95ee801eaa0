import type { ReservedSQL, SQL } from 'bun'
import type { DatabaseReach } from '../database-reach.ts'
import { DatabaseSilent } from '../engine.ts'
import { connect, type PoolLimits, type PostgresServer } from './connect.ts'
import { silenceMs } from './limits.ts'
import { isAnswer, isReadOnlySession, isStale, readPostgresError } from './postgres-errors.ts'

/** Connections that were opened one after another to what was the same server then. */
interface Generation {
  readonly sql: SQL
  /** Connections in use, and callers that wait for one. */
  users: number
  /** Closed under those who use it. */
  isCut: boolean
}

interface PoolDeps {
  readonly reach?: DatabaseReach
  /** All connections were given up, because the server is silent. */
  readonly onSilence?: () => void
  /** All connections are being replaced, because the server has changed its role or ends sessions. */
  readonly onStale?: () => void
}

/** Connections to Postgres on which nothing waits for ever. */
export class PostgresPool {
  readonly #server: PostgresServer
  readonly #limits: PoolLimits
  readonly #deps: PoolDeps
  #generation: Generation
  #isClosed = false

  constructor(server: PostgresServer, limits: PoolLimits, deps: PoolDeps = {}) {
    this.#server = server
    this.#limits = limits
    this.#deps = deps
    this.#generation = this.#connect()
  }

  /** A connection for one transaction or one statement. It must be released. */
  async acquire(): Promise<PooledConnection> {
    const late = Promise.withResolvers<never>()
    const timer = setTimeout(
      () => late.reject(new DatabaseSilent(noConnection(this.#limits.acquireMs))),
      this.#limits.acquireMs,
    )
    try {
      for (;;) {
        const connection = await this.#reserve(this.#generation, late.promise)
        if (connection) return connection
      }
    } finally {
      clearTimeout(timer)
    }
  }

  /** The server is silent elsewhere: whoever waits for it here is told so, and whoever comes next connects anew. */
  giveUp(): void {
    this.#cutOff(this.#generation)
  }

  /** Connections elsewhere were stale: whoever comes next connects anew, and whoever is at work here may finish. */
  renew(): void {
    this.#retire(this.#generation)
  }

  /** Gives those who are at work some time; what still runs then is cut. */
  async close(timeoutSeconds: number): Promise<void> {
    this.#isClosed = true
    await this.#generation.sql.close({ timeout: timeoutSeconds })
  }

  #connect(): Generation {
    return { sql: connect(this.#server, this.#limits), users: 0, isCut: false }
  }

  /** Undefined when the connections were replaced while this caller waited for one of them. */
  async #reserve(
    generation: Generation,
    late: Promise<never>,
  ): Promise<PooledConnection | undefined> {
    generation.users += 1
    const reserving = generation.sql.reserve()
    try {
      const reserved = await Promise.race([reserving, late])
      const connection = this.#wrap(reserved, generation)
      if (generation === this.#generation || this.#isClosed) return connection
      connection.release()
      return undefined
    } catch (error) {
      // Whoever has stopped waiting must not keep the connection that comes late.
      reserving
        .then((reserved) => reserved.release())
        .catch(() => undefined)
        .finally(() => this.#leave(generation))
      const isCut = generation.isCut && !this.#isClosed
      if (isCut && !(error instanceof DatabaseSilent)) return undefined
      this.#deps.reach?.lost()
      if (isStale(error)) this.#replaceStale(generation)
      throw readPostgresError(error)
    }
  }

  #wrap(reserved: ReservedSQL, generation: Generation): PooledConnection {
    return new PooledConnection(reserved, this.#limits.statementMs, {
      heard: () => this.#deps.reach?.heard(),
      lost: () => this.#deps.reach?.lost(),
      stale: () => this.#replaceStale(generation),
      silent: () => {
        if (this.#cutOff(generation)) this.#deps.onSilence?.()
      },
      released: () => this.#leave(generation),
    })
  }

  /**
   * One connection is silent, so those that lie idle beside it may be dead too: the whole set is given up, and whoever
   * comes next gets a new connection instead of waiting on each dead one in turn.
   */
  #cutOff(silent: Generation): boolean {
    this.#deps.reach?.lost()
    if (silent !== this.#generation || this.#isClosed) return false
    this.#generation = this.#connect()
    silent.isCut = true
    closeNow(silent)
    return true
  }

  /** One session has ended or may only read, and those beside it are as old: each would fail one more statement. */
  #replaceStale(stale: Generation): void {
    if (this.#retire(stale)) this.#deps.onStale?.()
  }

  #retire(stale: Generation): boolean {
    if (stale !== this.#generation || this.#isClosed) return false
    this.#generation = this.#connect()
    if (stale.users === 0) closeNow(stale)
    return true
  }

  #leave(generation: Generation): void {
    generation.users -= 1
    if (generation.users === 0 && generation !== this.#generation) closeNow(generation)
  }
}

function closeNow({ sql }: Generation): void {
  sql.close({ timeout: 0 }).catch(() => undefined)
}

/** Whether a statement may take only as long as its pool allows. */
export type StatementLimit = 'limited' | 'unlimited'

interface ConnectionEvents {
  heard(): void
  lost(): void
  stale(): void
  silent(): void
  released(): void
}

/** One connection in the hands of one user. */
export class PooledConnection {
  readonly #reserved: ReservedSQL
  readonly #statementMs: number
  readonly #events: ConnectionEvents
  #isBroken = false
  #mustEnd = false

  constructor(reserved: ReservedSQL, statementMs: number, events: ConnectionEvents) {
    this.#reserved = reserved
    this.#statementMs = statementMs
    this.#events = events
  }

  /** Runs one statement, for the time that the pool allows, or without a limit. */
  async run(
    sql: string,
    values: readonly unknown[] = [],
    limit: StatementLimit = 'limited',
  ): Promise<unknown> {
    if (this.#isBroken) throw new DatabaseSilent('The connection to the database was given up.')
    const waitMs = this.#statementMs + silenceMs
    const timer = limit === 'limited' ? setTimeout(() => this.#cut(), waitMs) : undefined
    try {
      const answer: unknown = await this.#reserved.unsafe(sql, [...values])
      this.#events.heard()
      return answer
    } catch (error) {
      if (this.#isBroken) throw new DatabaseSilent(noAnswer(waitMs), { cause: error })
      if (isReadOnlySession(error)) this.#mustEnd = true
      if (isAnswer(error)) this.#events.heard()
      else this.#events.lost()
      if (isStale(error)) this.#events.stale()
      throw readPostgresError(error)
    } finally {
      clearTimeout(timer)
    }
  }

  release(): void {
    if (this.#isBroken) {
      this.#events.released()
      return
    }
    const ended = this.#mustEnd ? this.#endSession() : Promise.resolve()
    void ended
      .then(() => this.#reserved.release())
      .catch(() => undefined)
      .finally(() => this.#events.released())
  }

  /** Ends the server's side too: a pooler between would give this session to the next caller. */
  async #endSession(): Promise<void> {
    await this.#reserved
      .unsafe('SELECT pg_terminate_backend(pg_backend_pid())')
      .catch(() => undefined)
  }

  #cut(): void {
    this.#isBroken = true
    this.#reserved.close({ timeout: 0 }).catch(() => undefined)
    this.#events.silent()
  }
}

function noConnection(ms: number): string {
  return `No connection to the database became available within ${ms / 1_000} s.`
}

function noAnswer(ms: number): string {
  return `The database did not answer within ${ms / 1_000} s. The connection was closed.`
}
