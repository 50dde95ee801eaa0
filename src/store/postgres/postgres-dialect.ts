import {
  type CompiledQuery,
  type DatabaseConnection,
  type Dialect,
  type Driver,
  PostgresAdapter,
  PostgresIntrospector,
  PostgresQueryCompiler,
  type QueryResult,
  type TransactionSettings,
} from 'kysely'
import { OutcomeUnknown } from '../../core/fault.ts'
import { isSharedFailure } from '../engine.ts'
import type { SqlConnection, SqlPool, StatementLimit } from './postgres-pool.ts'
import { runSql, type SqlOutcome } from './run-sql.ts'

/** Kysely on Bun's Postgres client. */
export function postgresDialect(pool: SqlPool, limit: StatementLimit = 'limited'): Dialect {
  return {
    createAdapter: () => new PostgresAdapter(),
    createIntrospector: (db) => new PostgresIntrospector(db),
    createQueryCompiler: () => new PostgresQueryCompiler(),
    createDriver: () => new PostgresDriver(pool, limit),
  }
}

/**
 * Sends BEGIN together with the first statement if that has no parameters, such as one that takes a lock. This saves a
 * round trip for each transaction.
 */
class PostgresConnection implements DatabaseConnection {
  readonly pooled: SqlConnection
  readonly #limit: StatementLimit
  #isBeginDue = false

  constructor(pooled: SqlConnection, limit: StatementLimit) {
    this.pooled = pooled
    this.#limit = limit
  }

  async executeQuery<Row>(query: CompiledQuery): Promise<QueryResult<Row>> {
    const { rows, count } = await this.#run(query)
    return { rows: rows as Row[], numAffectedRows: BigInt(count) }
  }

  beginWithNext(): void {
    this.#isBeginDue = true
  }

  /** False when no statement was sent, so there is nothing to end. */
  get hasBegun(): boolean {
    return !this.#isBeginDue
  }

  async #run({ sql, parameters }: CompiledQuery): Promise<SqlOutcome> {
    const isFirst = this.#isBeginDue
    this.#isBeginDue = false
    if (isFirst && parameters.length === 0)
      return runSql(this.pooled, `${this.pooled.begin}; ${sql}`, [], this.#limit)
    if (isFirst) await this.pooled.run(this.pooled.begin)
    return runSql(this.pooled, sql, parameters, this.#limit)
  }

  async *streamQuery<Row>(query: CompiledQuery): AsyncIterableIterator<QueryResult<Row>> {
    yield await this.executeQuery<Row>(query)
  }
}

class PostgresDriver implements Driver {
  readonly #pool: SqlPool
  readonly #limit: StatementLimit

  constructor(pool: SqlPool, limit: StatementLimit) {
    this.#pool = pool
    this.#limit = limit
  }

  async init(): Promise<void> {}

  async acquireConnection(): Promise<PostgresConnection> {
    return new PostgresConnection(await this.#pool.acquire(), this.#limit)
  }

  async beginTransaction(
    connection: PostgresConnection,
    { isolationLevel, accessMode }: TransactionSettings,
  ): Promise<void> {
    if (isolationLevel !== undefined || accessMode !== undefined)
      throw new Error('transaction settings are not supported')
    connection.beginWithNext()
  }

  /** The server may have committed before the connection was lost, and not every transaction can be repeated. */
  async commitTransaction(connection: PostgresConnection): Promise<void> {
    if (!connection.hasBegun) return
    try {
      await connection.pooled.run('COMMIT', [], this.#limit)
    } catch (error) {
      if (!isSharedFailure(error)) throw error
      const message = `The connection was lost during COMMIT; the change may have been saved (${String(error)}).`
      throw new OutcomeUnknown(message, { cause: error })
    }
  }

  /** Called after a failure. The caller needs that first error, and a lost connection has rolled back by itself. */
  async rollbackTransaction(connection: PostgresConnection): Promise<void> {
    if (connection.hasBegun) await connection.pooled.run('ROLLBACK').catch(() => undefined)
  }

  async releaseConnection({ pooled }: PostgresConnection): Promise<void> {
    pooled.release()
  }

  async destroy(): Promise<void> {}
}
