import { mkdirSync } from 'node:fs'
import { dirname } from 'node:path'
import { Kysely } from 'kysely'
import type { Engine, Unit, UnitResult } from '../engine.ts'
import { Mutex } from '../mutex.ts'
import { readRows } from '../row-values.ts'
import type { Tables } from '../tables.ts'
import { type SqlRunner, sqliteDialect } from './sqlite-dialect.ts'
import { SqliteThread } from './sqlite-thread.ts'

/** The embedded engine: one file, one writing thread, one reading thread, and one more for reports once there are any. */
export async function openSqlite(path: string): Promise<Engine> {
  mkdirSync(dirname(path), { recursive: true })
  const writer = await SqliteThread.open(path, { readonly: false })
  const reader = await SqliteThread.open(path, { readonly: true })
  let reportReader: Promise<SqliteThread> | undefined
  const reports: SqlRunner = {
    query: async (sql, values) => {
      reportReader ??= SqliteThread.open(path, { readonly: true })
      return (await reportReader).query(sql, values)
    },
  }
  const turn = new Mutex()
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

  return {
    kind: 'sqlite',
    db: new Kysely<Tables>({ dialect: sqliteDialect(writer, reader, turn) }),
    reportDb: new Kysely<Tables>({ dialect: sqliteDialect(writer, reports, turn) }),
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
    // Other processes on the same file are noticed by polling; this process need not wait for it.
    onNotify: async (callback) => {
      listeners.push(callback)
    },
    notify: async () => {
      for (const listener of listeners) listener()
    },
    close: async () => {
      await reader.close()
      await (await reportReader)?.close()
      await writer.close()
    },
  }
}
