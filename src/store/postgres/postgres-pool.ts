import { ConnectionStale, DatabaseTimeout } from '../engine.ts'
import type { PoolLimits } from './connect.ts'
import type { DatabaseAvailability } from './database-availability.ts'
import { silenceMs } from './limits.ts'
import type { LentConnection, PostgresConnections } from './postgres-connections.ts'
import { isAnswer, isReadOnlySession, isStale, readPostgresError } from './postgres-errors.ts'
import type { PostgresHosts } from './postgres-hosts.ts'

/** Connections opened to the same state of the server. */
interface Generation {
  /** Undefined before the first user. */
  opening: Promise<PostgresConnections> | undefined
  /** Connections in use plus callers that wait for one. */
  users: number
  /** Closed while connections were in use. */
  isCut: boolean
}

interface PoolDeps {
  readonly availability?: DatabaseAvailability
  /** All connections were given up because the server is silent. */
  readonly onSilence?: () => void
  /** All connections are being replaced because the server has changed its role or ends sessions. */
  readonly onStale?: () => void
}

/** A connection for one transaction or one statement. */
export interface SqlConnection {
  /** The text that begins a transaction. */
  readonly begin: string
  /** Runs one statement, within the limit of the pool or without a limit. */
  run(sql: string, values?: readonly unknown[], limit?: StatementLimit): Promise<unknown>
  release(): void
}

export interface SqlPool {
  /** The caller must release the connection. */
  acquire(): Promise<SqlConnection>
}

/** Connections to Postgres with a limit on every wait. */
export class PostgresPool implements SqlPool {
  readonly #hosts: PostgresHosts
  readonly #limits: PoolLimits
  readonly #deps: PoolDeps
  #generation: Generation = newGeneration()
  #isClosed = false

  constructor(hosts: PostgresHosts, limits: PoolLimits, deps: PoolDeps = {}) {
    this.#hosts = hosts
    this.#limits = limits
    this.#deps = deps
  }

  async acquire(): Promise<PooledConnection> {
    const late = Promise.withResolvers<never>()
    const timer = setTimeout(
      () => late.reject(new DatabaseTimeout(noConnection(this.#limits.acquireMs))),
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

  /** Another pool found the server silent: waiting callers get an error, and the next caller opens a new connection. */
  giveUp(): void {
    this.#cutOff(this.#generation)
  }

  /** Connections of another pool were stale: the next caller opens a new connection, and running work may finish. */
  renew(): void {
    this.#retire(this.#generation)
  }

  /** Gives running work some time, then cuts the connections. */
  async close(timeoutSeconds: number): Promise<void> {
    this.#isClosed = true
    await closeIn(this.#generation, timeoutSeconds)
  }

  /** Undefined when the connections were replaced while this caller waited for one of them. */
  async #reserve(
    generation: Generation,
    late: Promise<never>,
  ): Promise<PooledConnection | undefined> {
    if (this.#isClosed && !generation.opening)
      throw new ConnectionStale('The database has been closed.')
    generation.users += 1
    generation.opening ??= this.#hosts.open(this.#limits)
    const lending = generation.opening.then((connections) => connections.lend())
    try {
      const lent = await Promise.race([lending, late])
      const connection = this.#wrap(lent, generation)
      if (generation === this.#generation || this.#isClosed) return connection
      connection.release()
      return undefined
    } catch (error) {
      // A caller that has stopped waiting must not keep the connection that arrives late.
      lending
        .then((lent) => lent.giveBack())
        .catch(() => undefined)
        .finally(() => this.#leave(generation))
      const isCut = generation.isCut && !this.#isClosed
      if (isCut && !(error instanceof DatabaseTimeout)) return undefined
      this.#deps.availability?.lost()
      if (isStale(error)) this.#replaceStale(generation)
      throw readPostgresError(error)
    }
  }

  #wrap(lent: LentConnection, generation: Generation): PooledConnection {
    const { statementMs } = this.#limits
    return new PooledConnection(lent, statementMs, this.#hosts.begin(this.#limits), {
      onAnswer: () => this.#deps.availability?.noteAnswer(),
      lost: () => this.#deps.availability?.lost(),
      stale: () => this.#replaceStale(generation),
      silent: () => {
        if (this.#cutOff(generation)) this.#deps.onSilence?.()
      },
      released: () => this.#leave(generation),
    })
  }

  /**
   * When one connection is silent, the idle ones may be dead too. The whole generation is given up, so that the next
   * callers get new connections instead of waiting on each dead one in turn.
   */
  #cutOff(silent: Generation): boolean {
    this.#deps.availability?.lost()
    if (silent !== this.#generation || this.#isClosed) return false
    this.#generation = newGeneration()
    silent.isCut = true
    closeNow(silent)
    return true
  }

  /** When one session has ended or is read-only, the others are as old, and each would fail one more statement. */
  #replaceStale(stale: Generation): void {
    if (this.#retire(stale)) this.#deps.onStale?.()
  }

  #retire(stale: Generation): boolean {
    if (stale !== this.#generation || this.#isClosed) return false
    this.#generation = newGeneration()
    if (stale.users === 0) closeNow(stale)
    return true
  }

  #leave(generation: Generation): void {
    generation.users -= 1
    if (generation.users === 0 && generation !== this.#generation) closeNow(generation)
  }
}

function newGeneration(): Generation {
  return { opening: undefined, users: 0, isCut: false }
}

function closeNow(generation: Generation): void {
  closeIn(generation, 0).catch(() => undefined)
}

/** A generation whose host could not be found has nothing to close. */
async function closeIn({ opening }: Generation, timeoutSeconds: number): Promise<void> {
  const connections = await opening?.catch(() => undefined)
  await connections?.close(timeoutSeconds)
}

/** Whether the limit of the pool applies to a statement. */
export type StatementLimit = 'limited' | 'unlimited'

interface ConnectionEvents {
  onAnswer(): void
  lost(): void
  stale(): void
  silent(): void
  released(): void
}

/** One connection, reserved for one user. */
export class PooledConnection implements SqlConnection {
  readonly begin: string
  readonly #lent: LentConnection
  readonly #statementMs: number
  readonly #events: ConnectionEvents
  #isBroken = false
  #mustEnd = false

  constructor(lent: LentConnection, statementMs: number, begin: string, events: ConnectionEvents) {
    this.#lent = lent
    this.#statementMs = statementMs
    this.begin = begin
    this.#events = events
  }

  async run(
    sql: string,
    values: readonly unknown[] = [],
    limit: StatementLimit = 'limited',
  ): Promise<unknown> {
    if (this.#isBroken)
      throw new DatabaseTimeout(
        'The gateway closed the connection to the database because the server is silent.',
      )
    const waitMs = this.#statementMs + silenceMs
    const timer = limit === 'limited' ? setTimeout(() => this.#cut(), waitMs) : undefined
    try {
      const answer: unknown = await this.#lent.sql.unsafe(sql, [...values])
      this.#events.onAnswer()
      return answer
    } catch (error) {
      if (this.#isBroken) throw new DatabaseTimeout(noAnswer(waitMs), { cause: error })
      if (isReadOnlySession(error)) this.#mustEnd = true
      if (isAnswer(error)) this.#events.onAnswer()
      else this.#events.lost()
      if (isStale(error)) this.#events.stale()
      throw readPostgresError(error)
    } finally {
      clearTimeout(timer)
    }
  }

  release(): void {
    if (this.#isBroken) this.#events.released()
    else if (this.#mustEnd) void this.#endSession().finally(() => this.#giveBack())
    else this.#giveBack()
  }

  #giveBack(): void {
    this.#lent.giveBack()
    this.#events.released()
  }

  /** Ends the session on the server too: a pooler in between would give this session to the next caller. */
  async #endSession(): Promise<void> {
    await this.#lent.sql
      .unsafe('SELECT pg_terminate_backend(pg_backend_pid())')
      .catch(() => undefined)
  }

  #cut(): void {
    this.#isBroken = true
    this.#lent.sql.close({ timeout: 0 }).catch(() => undefined)
    this.#events.silent()
  }
}

function noConnection(ms: number): string {
  return `No connection to the database became available within ${ms / 1_000} s.`
}

function noAnswer(ms: number): string {
  return `The database did not answer within ${ms / 1_000} s. The connection was closed.`
}
