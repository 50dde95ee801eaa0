import { Database } from 'bun:sqlite'
import { Kysely } from 'kysely'
import { findImbalances } from '../../../src/ledger/audit/conservation.ts'
import { settleShapes } from '../../../src/ledger/journal/settle-record.ts'
import { Mutex } from '../../../src/store/engine/mutex.ts'
import { readRows } from '../../../src/store/engine/row-values.ts'
import type { Engine, StatementResult, Unit, UnitResult } from '../../../src/store/engine.ts'
import { migrations } from '../../../src/store/migrations/list.ts'
import { migrate } from '../../../src/store/migrations/migrate.ts'
import { prepare, run } from '../../../src/store/sqlite/prepared.ts'
import { RecordShapes } from '../../../src/store/sqlite/record-shapes.ts'
import { sqliteDialect } from '../../../src/store/sqlite/sqlite-dialect.ts'
import type { Tables } from '../../../src/store/tables/tables.ts'
import type { ShapedRecord } from '../../../src/store/units/shape.ts'
import type { SqlValue } from '../../../src/store/units/sql-statement.ts'
import { isConditionMet } from '../../../src/store/units/unit-conditions.ts'

/** The connection of one process to the database: runs the work now, later or never, or hides that the work ran. */
export type Passage = <T>(work: () => T) => Promise<T>

const openPassage: Passage = async (work) => work()

/**
 * SQLite in memory on this thread, with the engine's own statements. Nothing in it waits, so a test that controls the
 * passage controls the moment of every event.
 */
export class MemoryDatabase {
  readonly #database = new Database(':memory:', { safeIntegers: true })
  readonly #shapes = new RecordShapes(this.#database)
  #imbalances = ''
  #clockMs = -1
  /** The clock of the database's machine. */
  nowMs: () => number = Date.now
  /** Called with all applied records. */
  onApply: (records: readonly ShapedRecord[]) => void = () => undefined
  /** Called after each transaction that moves money. */
  onCommit: () => void = () => undefined

  static async open(): Promise<MemoryDatabase> {
    const opened = new MemoryDatabase()
    const engine = opened.connect()
    opened.#database.run('CREATE TABLE simulated_clock (ms INTEGER)')
    opened.#database.run('INSERT INTO simulated_clock VALUES (0)')
    await migrate(engine, migrations, 1)
    opened.#shapes.define(settleShapes)
    const sqls: string[] = []
    const db = opened.#kysely(openPassage, new Mutex(), sqls)
    await findImbalances({ ...engine, db, backgroundDb: db })
    opened.#imbalances = sqls.at(-1) ?? ''
    return opened
  }

  /** The violations of invariant L1 (conservation) in the current state. */
  imbalances(): readonly Record<string, unknown>[] {
    return this.#database.query(this.#imbalances).all() as Record<string, unknown>[]
  }

  clear(tables: readonly string[]): void {
    for (const table of tables) this.#database.run(`DELETE FROM ${table}`)
  }

  /**
   * Saves the tables and returns a function that restores them. The function returns the requests that have an entry
   * after that.
   */
  save(tables: readonly string[]): () => Set<string> {
    const saved = tables.map((table) => {
      // `table_info` omits generated columns.
      const names = this.#database.query(`PRAGMA table_info(${table})`).values()
      const columns = names.map(([, name]) => String(name)).join(', ')
      const rows = this.#database.query(`SELECT ${columns} FROM ${table}`).values()
      return { table, columns, rows: rows as SqlValue[][] }
    })
    return () => {
      for (const { table, columns, rows } of saved) {
        this.#database.run(`DELETE FROM ${table}`)
        for (const row of rows) {
          const sql = `INSERT INTO ${table} (${columns}) VALUES (${row.map(() => '?').join(', ')})`
          this.#database.query(sql).run(...row)
        }
      }
      const entries = this.#database.query('SELECT request_id FROM entry').values()
      return new Set(entries.map(([id]) => String(id)))
    }
  }

  /** With many connections, calls of one process may overtake each other. */
  connect(pass: Passage = openPassage, hasManyConnections = false): Engine {
    const turn = new Mutex()
    const inOrder: Passage = hasManyConnections ? pass : (work) => inTurn(turn, pass, work)
    const db = this.#kysely(pass, turn)
    return {
      kind: 'sqlite',
      clockSql: '(SELECT ms FROM simulated_clock)',
      db,
      reportDb: db,
      usageDb: db,
      backgroundDb: db,
      schemaDb: db,
      runUnits: (units) =>
        inOrder(() => this.#inTransaction(() => units.map((unit) => this.#runUnit(unit)))),
      defineShapes: async (shapes) => this.#shapes.define(shapes),
      applyRecords: (texts) =>
        inOrder(() => {
          const records = texts.flatMap((text) => JSON.parse(text) as ShapedRecord[])
          this.onApply(records)
          this.#inTransaction(() => this.#shapes.apply(records))
        }),
      readSnapshot: () => Promise.reject(new Error('not simulated')),
      onNotify: async () => undefined,
      notify: async () => undefined,
      outOfReachMs: () => 0,
      close: async () => undefined,
    }
  }

  #kysely(pass: Passage, turn: Mutex, sqls?: string[]): Kysely<Tables> {
    const ask = (sql: string, values: readonly SqlValue[]) => () => this.#run(sql, values)
    const writer = { query: (sql: string, values: readonly SqlValue[]) => pass(ask(sql, values)) }
    // A read outside a transaction must not see uncommitted rows of one.
    const reader = {
      query: (sql: string, values: readonly SqlValue[]) => inTurn(turn, pass, ask(sql, values)),
    }
    return new Kysely<Tables>({
      dialect: sqliteDialect(writer, reader, turn),
      ...(sqls ? { log: (event) => void sqls.push(event.query.sql) } : {}),
    })
  }

  #inTransaction<T>(work: () => T): T {
    this.#database.run('BEGIN IMMEDIATE')
    try {
      const result = work()
      this.#database.run('COMMIT')
      this.onCommit()
      return result
    } catch (error) {
      this.#database.run('ROLLBACK')
      throw error
    }
  }

  #run(sql: string, values: readonly SqlValue[]): StatementResult {
    const clockMs = this.nowMs()
    if (clockMs !== this.#clockMs) {
      this.#clockMs = clockMs
      run(prepare(this.#database, 'UPDATE simulated_clock SET ms = ?'), [clockMs])
    }
    return run(prepare(this.#database, sql), [...values])
  }

  #runUnit({ statements }: Unit): UnitResult {
    const results: (StatementResult | null)[] = []
    for (const { sql, values, when } of statements) {
      results.push(isConditionMet(when ?? [], results) ? this.#run(sql, values) : null)
    }
    return results.map((each) => each && { ...each, rows: readRows(each.rows) })
  }
}

async function inTurn<T>(turn: Mutex, pass: Passage, work: () => T): Promise<T> {
  const giveBack = await turn.acquire()
  try {
    return await pass(work)
  } finally {
    giveBack()
  }
}
