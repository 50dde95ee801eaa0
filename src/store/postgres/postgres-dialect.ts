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
import type { PooledConnection, PostgresPool, StatementLimit } from './postgres-pool.ts'
import { runSql } from './run-sql.ts'

/** Kysely on Bun's Postgres client. */
export function postgresDialect(pool: PostgresPool, limit: StatementLimit = 'limited'): Dialect {
  return {
    createAdapter: () => new PostgresAdapter(),
    createIntrospector: (db) => new PostgresIntrospector(db),
    createQueryCompiler: () => new PostgresQueryCompiler(),
    createDriver: () => new PostgresDriver(pool, limit),
  }
}

class PostgresConnection implements DatabaseConnection {
  readonly pooled: PooledConnection
  readonly #limit: StatementLimit

  constructor(pooled: PooledConnection, limit: StatementLimit) {
    this.pooled = pooled
    this.#limit = limit
  }

  async executeQuery<Row>(query: CompiledQuery): Promise<QueryResult<Row>> {
    const { rows, count } = await runSql(this.pooled, query.sql, query.parameters, this.#limit)
    return { rows: rows as Row[], numAffectedRows: BigInt(count) }
  }

  async *streamQuery<Row>(query: CompiledQuery): AsyncIterableIterator<QueryResult<Row>> {
    yield await this.executeQuery<Row>(query)
  }
}

class PostgresDriver implements Driver {
  readonly #pool: PostgresPool
  readonly #limit: StatementLimit

  constructor(pool: PostgresPool, limit: StatementLimit) {
    this.#pool = pool
    this.#limit = limit
  }

  async init(): Promise<void> {}

  async acquireConnection(): Promise<PostgresConnection> {
    return new PostgresConnection(await this.#pool.acquire(), this.#limit)
  }

  async beginTransaction({ pooled }: PostgresConnection): Promise<void> {
    await pooled.run('BEGIN')
  }

  async commitTransaction({ pooled }: PostgresConnection): Promise<void> {
    await pooled.run('COMMIT', [], this.#limit)
  }

  async rollbackTransaction({ pooled }: PostgresConnection): Promise<void> {
    await pooled.run('ROLLBACK')
  }

  async releaseConnection({ pooled }: PostgresConnection): Promise<void> {
    pooled.release()
  }

  async destroy(): Promise<void> {}
}
