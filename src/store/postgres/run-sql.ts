import type { ReservedSQL } from 'bun'
import { readRows } from '../row-values.ts'

export interface SqlOutcome {
  readonly rows: Record<string, unknown>[]
  readonly count: number
}

/** One statement on one connection. */
export async function runSql(
  connection: ReservedSQL,
  sql: string,
  values: readonly unknown[] = [],
): Promise<SqlOutcome> {
  const answer: unknown = await connection.unsafe(sql, [...values])
  const rows = Array.isArray(answer) ? (answer as Record<string, unknown>[]) : []
  const count = Array.isArray(answer) && 'count' in answer ? Number(answer.count) : rows.length
  return { rows: readRows(rows), count }
}
