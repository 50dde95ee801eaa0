import type { Database, SQLQueryBindings, Statement } from 'bun:sqlite'
import type { StatementResult } from '../engine.ts'

export interface Prepared {
  readonly statement: Statement
  readonly returnsRows: boolean
}

export function prepare(database: Database, sql: string): Prepared {
  const statement = database.query(sql)
  return { statement, returnsRows: statement.columnNames.length > 0 }
}

export function run(
  { statement, returnsRows }: Prepared,
  values: SQLQueryBindings[],
): StatementResult {
  if (returnsRows) {
    const rows = statement.all(...values) as Record<string, unknown>[]
    return { changes: rows.length, rows }
  }
  return { changes: Number(statement.run(...values).changes), rows: [] }
}
