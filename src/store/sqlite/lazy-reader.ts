import type { StatementResult } from '../engine.ts'
import type { SqlValue } from '../units/sql-statement.ts'
import type { SqlRunner } from './sqlite-dialect.ts'
import { SqliteThread } from './sqlite-thread.ts'

/** A read-only thread that starts with the first query. */
export class LazyReader implements SqlRunner {
  readonly #path: string
  #thread: Promise<SqliteThread> | undefined

  constructor(path: string) {
    this.#path = path
  }

  get isOpen(): boolean {
    return this.#thread !== undefined
  }

  async query(sql: string, values: readonly SqlValue[]): Promise<StatementResult> {
    return (await this.#open()).query(sql, values)
  }

  async close(): Promise<void> {
    await (await this.#thread)?.close()
  }

  async #open(): Promise<SqliteThread> {
    this.#thread ??= SqliteThread.open(this.#path, { readonly: true })
    try {
      return await this.#thread
    } catch (error) {
      // The next caller tries again.
      this.#thread = undefined
      throw error
    }
  }
}
