import {
  type CompiledQuery,
  type DatabaseConnection,
  type Dialect,
  type Driver,
  type QueryResult,
  SqliteAdapter,
  SqliteIntrospector,
  SqliteQueryCompiler,
} from 'kysely'
import type { Mutex } from '../engine/mutex.ts'
import { readRows } from '../engine/row-values.ts'
import type { StatementResult } from '../engine.ts'
import type { SqlValue } from '../units/sql-statement.ts'

/** A connection, in this thread or another one. */
export interface SqlRunner {
  query(sql: string, values: readonly SqlValue[]): Promise<StatementResult>
}

/** Kysely on the SQLite threads: reads go to the reader, everything else goes to the single writer, one at a time. */
export function sqliteDialect(writer: SqlRunner, reader: SqlRunner, turn: Mutex): Dialect {
  return {
    createAdapter: () => new ThreadedSqliteAdapter(),
    createIntrospector: (db) => new SqliteIntrospector(db),
    createQueryCompiler: () => new SqliteQueryCompiler(),
    createDriver: () => new SqliteDriver(writer, reader, turn),
  }
}

/** Without this, Kysely runs only one query at a time, and reads wait for every transaction. */
class ThreadedSqliteAdapter extends SqliteAdapter {
  override get supportsMultipleConnections() {
    return true
  }
}

class SqliteConnection implements DatabaseConnection {
  readonly #writer: SqlRunner
  readonly #reader: SqlRunner
  readonly #turn: Mutex
  #giveBack: (() => void) | undefined

  constructor(writer: SqlRunner, reader: SqlRunner, turn: Mutex) {
    this.#writer = writer
    this.#reader = reader
    this.#turn = turn
  }

  async executeQuery<Row>(query: CompiledQuery): Promise<QueryResult<Row>> {
    const values = query.parameters as readonly SqlValue[]
    const result = await this.#run(query.query.kind === 'SelectQueryNode', query.sql, values)
    return { rows: readRows(result.rows) as Row[], numAffectedRows: BigInt(result.changes) }
  }

  async *streamQuery<Row>(query: CompiledQuery): AsyncIterableIterator<QueryResult<Row>> {
    yield await this.executeQuery<Row>(query)
  }

  async begin(): Promise<void> {
    const giveBack = await this.#turn.acquire()
    try {
      await this.#writer.query('BEGIN IMMEDIATE', [])
      this.#giveBack = giveBack
    } catch (error) {
      giveBack()
      throw error
    }
  }

  /** A failed commit keeps the turn: Kysely rolls back after it, and no other statement may come in between. */
  async commit(): Promise<void> {
    await this.#writer.query('COMMIT', [])
    this.#endTurn()
  }

  /** Called after a failure; the caller needs that first error. SQLite rolls back by itself after some failures. */
  async rollback(): Promise<void> {
    await this.#writer.query('ROLLBACK', []).catch(() => undefined)
    this.#endTurn()
  }

  #endTurn(): void {
    this.#giveBack?.()
    this.#giveBack = undefined
  }

  async #run(isRead: boolean, sql: string, values: readonly SqlValue[]) {
    if (this.#giveBack) return this.#writer.query(sql, values)
    if (isRead) return this.#reader.query(sql, values)
    const giveBack = await this.#turn.acquire()
    try {
      return await this.#writer.query(sql, values)
    } finally {
      giveBack()
    }
  }
}

class SqliteDriver implements Driver {
  readonly #make: () => SqliteConnection

  constructor(writer: SqlRunner, reader: SqlRunner, turn: Mutex) {
    this.#make = () => new SqliteConnection(writer, reader, turn)
  }

  async init(): Promise<void> {}

  async acquireConnection(): Promise<SqliteConnection> {
    return this.#make()
  }

  async beginTransaction(connection: SqliteConnection): Promise<void> {
    await connection.begin()
  }

  async commitTransaction(connection: SqliteConnection): Promise<void> {
    await connection.commit()
  }

  async rollbackTransaction(connection: SqliteConnection): Promise<void> {
    await connection.rollback()
  }

  async releaseConnection(): Promise<void> {}

  async destroy(): Promise<void> {}
}
