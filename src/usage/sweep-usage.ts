import { firstRequestIdAt } from '../core/id.ts'
import { raiseFact } from '../store/changes/facts.ts'
import type { Engine } from '../store/engine.ts'
import { dropMonths } from '../store/tables/months.ts'
import { floorFact, hourMs } from './usage-hour-sql.ts'

export interface Sweep {
  /** Usage rows and attempts that were deleted one by one. */
  readonly rows: number
  /** Partitions that were deleted as a whole. */
  readonly months: readonly string[]
  /** False when there is more to delete than one sweep allows. */
  readonly isDone: boolean
}

const rowsPerBatch = 1_000
const batchesMax = 20

/**
 * Deletes the log before a point in time: whole months if the engine can, the rest in small batches, so that writers
 * wait for milliseconds at most. Entries stay, because they are the money, and the hourly sums stay as well. The sums
 * are closed first, so that a deleted row that returns from an old journal is not counted twice.
 */
export async function sweepUsage(
  engine: Engine,
  beforeMs: number,
  limits = { rowsPerBatch, batchesMax },
): Promise<Sweep> {
  const before = beforeMs - (beforeMs % hourMs)
  const beforeId = firstRequestIdAt(before)
  // The value never decreases: a longer retention does not bring deleted rows back.
  await raiseFact(engine.db, floorFact, before)
  const months: string[] = []
  let rows = 0
  let batches = 0
  for (const table of ['attempt', 'usage_row'] as const) {
    months.push(...(await dropMonths(engine, table, beforeId)))
    for (;;) {
      if (batches >= limits.batchesMax) return { rows, months, isDone: false }
      const deleted = await deleteSome(engine, table, beforeId, limits.rowsPerBatch)
      if (deleted === 0) break
      rows += deleted
      batches += 1
    }
  }
  return { rows, months, isDone: true }
}

/** Deletes a range of ids: first finds its end, then deletes up to it, so that both steps scan one index. */
async function deleteSome(
  { db }: Engine,
  table: 'attempt' | 'usage_row',
  beforeId: string,
  count: number,
): Promise<number> {
  const end = await db
    .selectFrom(table)
    .select('request_id')
    .where('request_id', '<', beforeId)
    .orderBy('request_id')
    .offset(count)
    .limit(1)
    .executeTakeFirst()
  const result = await db
    .deleteFrom(table)
    .where('request_id', '<', end?.request_id ?? beforeId)
    .executeTakeFirst()
  return Number(result.numDeletedRows)
}
