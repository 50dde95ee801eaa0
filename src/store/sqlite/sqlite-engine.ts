import { mkdirSync } from 'node:fs'
import { dirname } from 'node:path'
import { Kysely } from 'kysely'
import { Mutex } from '../engine/mutex.ts'
import { readRows } from '../engine/row-values.ts'
import type { Engine, Unit, UnitResult } from '../engine.ts'
import type { Tables } from '../tables/tables.ts'
import { LazyReader } from './lazy-reader.ts'
import { type SqlRunner, sqliteDialect } from './sqlite-dialect.ts'
import { readSqliteSnapshot } from './sqlite-snapshot.ts'
import { SqliteThread } from './sqlite-thread.ts'

/**
 * The embedded engine: one file and one writing thread. The writer also reads until a read first finds it busy; from
 * then on a separate thread reads, and another one serves reports when there are any. An idle gateway needs the memory
 * of only one thread.
 */
export async function openSqlite(path: string): Promise<Engine> {
  mkdirSync(dirname(path), { recursive: true })
  const writer = await SqliteThread.open(path, { readonly: false })
  const turn = new Mutex()
  const reader = new LazyReader(path)
  const reports = new LazyReader(path)
  const reads: SqlRunner = {
    // During a transaction the writer would read uncommitted changes.
    query: (sql, values) =>
      turn.isFree && !reader.isOpen ? writer.query(sql, values) : reader.query(sql, values),
  }
  const listeners: (() => void)[] = []

  const runUnits = async (units: readonly Unit[]): Promise<UnitResult[]> => {
    const giveBack = await turn.acquire()
    try {
      const results = await writer.runUnits(units)
      return results.map((unit) =>
        unit.map((each) =>
          each && each.rows.length > 0 ? { ...each, rows: readRows(each.rows) } : each,
        ),
      )
    } finally {
      giveBack()
    }
  }

  const db = new Kysely<Tables>({ dialect: sqliteDialect(writer, reads, turn) })
  const reportDb = new Kysely<Tables>({ dialect: sqliteDialect(writer, reports, turn) })
  return {
    kind: 'sqlite',
    db,
    reportDb,
    usageDb: reportDb,
    backgroundDb: db,
    schemaDb: db,
    clockSql: "CAST(unixepoch('subsec') * 1000 AS INTEGER)",
    runUnits,
    defineShapes: (shapes) => writer.defineShapes(shapes),
    applyRecords: async (texts) => {
      const giveBack = await turn.acquire()
      try {
        await writer.applyRecords(texts)
      } finally {
        giveBack()
      }
    },
    readSnapshot: (work) => readSqliteSnapshot(path, work),
    // Other processes on the same file notice changes by polling; this process gets them at once.
    onNotify: async (callback) => {
      listeners.push(callback)
    },
    notify: async () => {
      for (const listener of listeners) listener()
    },
    outOfReachMs: () => 0,
    close: async () => {
      await reader.close()
      await reports.close()
      await writer.close()
    },
  }
}
