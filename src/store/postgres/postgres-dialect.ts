import type { ReservedSQL, SQL } from 'bun'
import {
  type CompiledQuery,
  type DatabaseConnection,
  type Dialect,
  type Driver,
  PostgresAdapter,
  PostgresIntrospector,
  PostgresQueryCompiler,
  type QueryResult,
} from 'kysely'
import { endSession } from './end-session.ts'
import { isReadOnlySession, readPostgresError } from './postgres-errors.ts'
import { runSql } from './run-sql.ts'

/** Kysely on Bun's Postgres client. */
export function postgresDialect(sql: SQL): Dialect {
  return {
    createAdapter: () => new PostgresAdapter(),
    createIntrospector: (db) => new PostgresIntrospector(db),
    createQueryCompiler: () => new PostgresQueryCompiler(),
    createDriver: () => new PostgresDriver(sql),
  }
}

class PostgresConnection implements DatabaseConnection {
  readonly reserved: ReservedSQL
  #mustEnd = false

  constructor(reserved: ReservedSQL) {
    this.reserved = reserved
  }

  async run(sql: string): Promise<void> {
    try {
      await this.reserved.unsafe(sql)
    } catch (error) {
      throw readPostgresError(error)
    }
  }

  async release(): Promise<void> {
    if (this.#mustEnd) await endSession(this.reserved)
    await this.reserved.release()
  }

  async executeQuery<Row>(query: CompiledQuery): Promise<QueryResult<Row>> {
    try {
      const { rows, count } = await runSql(this.reserved, query.sql, query.parameters)
      return { rows: rows as Row[], numAffectedRows: BigInt(count) }
    } catch (error) {
      if (isReadOnlySession(error)) this.#mustEnd = true
      throw readPostgresError(error)
    }
  }

  async *streamQuery<Row>(query: CompiledQuery): AsyncIterableIterator<QueryResult<Row>> {
    yield await this.executeQuery<Row>(query)
  }
}

class PostgresDriver implements Driver {
  readonly #sql: SQL

  constructor(sql: SQL) {
    this.#sql = sql
  }

  async init(): Promise<void> {}

  async acquireConnection(): Promise<PostgresConnection> {
    try {
      return new PostgresConnection(await this.#sql.reserve())
    } catch (error) {
      throw readPostgresError(error)
    }
  }

  async beginTransaction(connection: PostgresConnection): Promise<void> {
    await connection.run('BEGIN')
  }

  async commitTransaction(connection: PostgresConnection): Promise<void> {
    await connection.run('COMMIT')
  }

  /** Called after a failure, which is what has to be told: a connection that is lost has rolled back by itself. */
  async rollbackTransaction(connection: PostgresConnection): Promise<void> {
    await connection.reserved.unsafe('ROLLBACK').catch(() => undefined)
  }

  async releaseConnection(connection: PostgresConnection): Promise<void> {
    await connection.release()
  }

  async destroy(): Promise<void> {}
}
