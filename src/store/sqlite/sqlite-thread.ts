import { joinLists, WorkerThread, workerUrl } from '../engine/worker-thread.ts'
import type { StatementResult, Unit, UnitResult } from '../engine.ts'
import type { Shape } from '../units/shape.ts'
import type { SqlValue } from '../units/sql-statement.ts'
import type { SqliteCommand } from './sqlite-command.ts'
import { decodeResults, UnitEncoder } from './unit-codec.ts'

/** The main-thread side of one SQLite thread. */
export class SqliteThread {
  readonly #thread: WorkerThread<SqliteCommand>
  readonly #encoder = new UnitEncoder()

  private constructor(isBusy: boolean) {
    this.#thread = new WorkerThread(workerUrl('sqlite-worker', import.meta.url), { isBusy })
  }

  static async open(path: string, options: { readonly: boolean }): Promise<SqliteThread> {
    const thread = new SqliteThread(!options.readonly)
    await thread.#thread.ask({ kind: 'open', path, readonly: options.readonly })
    return thread
  }

  query(sql: string, values: readonly SqlValue[]): Promise<StatementResult> {
    return this.#thread.ask({ kind: 'query', sql, values }) as Promise<StatementResult>
  }

  async runUnits(units: readonly Unit[]): Promise<UnitResult[]> {
    const answer = await this.#thread.ask({ kind: 'units', ...this.#encoder.encode(units) })
    return decodeResults(String(answer))
  }

  async defineShapes(shapes: readonly Shape[]): Promise<void> {
    await this.#thread.ask({ kind: 'shapes', shapes })
  }

  async applyRecords(texts: readonly string[]): Promise<void> {
    await this.#thread.ask({ kind: 'records', text: joinLists(texts) })
  }

  /** Begins to read the rows of a statement, which `nextRows` then returns. */
  async walk(sql: string): Promise<void> {
    await this.#thread.ask({ kind: 'walk', sql })
  }

  nextRows(rowsMax: number): Promise<Record<string, unknown>[]> {
    return this.#thread.ask({ kind: 'step', rowsMax }) as Promise<Record<string, unknown>[]>
  }

  async close(): Promise<void> {
    await this.#thread.ask({ kind: 'close' })
    this.#thread.end()
  }
}
