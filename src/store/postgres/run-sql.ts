import { readRows } from '../engine/row-values.ts'
import type { SqlConnection, StatementLimit } from './postgres-pool.ts'

export interface SqlOutcome {
  readonly rows: Record<string, unknown>[]
  readonly count: number
}

/** Runs one statement on one connection. */
export async function runSql(
  connection: SqlConnection,
  sql: string,
  values: readonly unknown[] = [],
  limit?: StatementLimit,
): Promise<SqlOutcome> {
  const answer = await connection.run(sql, values, limit)
  return readOutcome(Array.isArray(answer) && Array.isArray(answer[0]) ? answer.at(-1) : answer)
}

/** Of several statements in one text, only the result of the last one counts. */
function readOutcome(answer: unknown): SqlOutcome {
  const rows = Array.isArray(answer) ? (answer as Record<string, unknown>[]) : []
  const count = Array.isArray(answer) && 'count' in answer ? Number(answer.count) : rows.length
  return { rows: readRows(rows), count }
}
