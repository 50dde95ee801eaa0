import type { ReservedSQL, SQL } from 'bun'
import type { DatabaseReach } from '../database-reach.ts'
import { DatabaseSilent } from '../engine.ts'
import { connect, type PoolLimits, type PostgresServer } from './connect.ts'
import { silenceMs } from './limits.ts'
import { isAnswer, isReadOnlySession, readPostgresError } from './postgres-errors.ts'

/** Connections to Postgres on which nothing waits for ever. */
export class PostgresPool {
  readonly #server: PostgresServer
  readonly #limits: PoolLimits
  readonly #reach: DatabaseReach | undefined
  readonly #onSilence: () => void
  #sql: SQL
  #isClosed = false

  constructor(
    server: PostgresServer,
    limits: PoolLimits,
    parts: { readonly reach?: DatabaseReach; readonly onSilence?: () => void } = {},
  ) {
    this.#server = server
    this.#limits = limits
    this.#reach = parts.reach
    this.#onSilence = parts.onSilence ?? (() => undefined)
    this.#sql = connect(server, limits)
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
        const sql = this.#sql
        const reserving = sql.reserve()
        try {
          const reserved = await Promise.race([reserving, late.promise])
          return new PooledConnection(reserved, this.#limits.statementMs, {
            heard: () => this.#reach?.heard(),
            lost: () => this.#reach?.lost(),
            silent: () => this.#replace(sql),
          })
        } catch (error) {
          // Whoever has stopped waiting must not keep the connection that comes late.
          reserving.then(
            (reserved) => reserved.release(),
            () => undefined,
          )
          // The connections were replaced while this one waited for one of them.
          if (sql !== this.#sql && !this.#isClosed && !(error instanceof DatabaseSilent)) continue
          this.#reach?.lost()
          throw readPostgresError(error)
        }
      }
    } finally {
      clearTimeout(timer)
    }
  }

  /** The server is silent elsewhere: whoever waits for it here is told so, and whoever comes next connects anew. */
  giveUp(): void {
    this.#replace(this.#sql)
  }

  /** Gives those who are at work some time; what still runs then is cut. */
  async close(timeoutSeconds: number): Promise<void> {
    this.#isClosed = true
    await this.#sql.close({ timeout: timeoutSeconds })
  }

  /**
   * One connection is silent, so those that lie idle beside it may be dead too: the whole set is given up, and whoever
   * comes next gets a new connection instead of waiting on each dead one in turn.
   */
  #replace(silent: SQL): void {
    this.#reach?.lost()
    if (silent !== this.#sql || this.#isClosed) return
    this.#sql = connect(this.#server, this.#limits)
    silent.close({ timeout: 0 }).catch(() => undefined)
    this.#onSilence()
  }
}

/** Whether a statement may take only as long as its pool allows. */
export type StatementLimit = 'limited' | 'unlimited'

interface ConnectionEvents {
  heard(): void
  lost(): void
  silent(): void
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
      const problem = readPostgresError(error)
      if (isReadOnlySession(error)) this.#mustEnd = true
      if (isAnswer(error)) this.#events.heard()
      else this.#events.lost()
      throw problem
    } finally {
      clearTimeout(timer)
    }
  }

  release(): void {
    if (this.#isBroken) return
    const ended = this.#mustEnd ? this.#endSession() : Promise.resolve()
    void ended.then(() => this.#reserved.release()).catch(() => undefined)
  }

  /** Ends the server's side; the pool opens another connection in its place. */
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
