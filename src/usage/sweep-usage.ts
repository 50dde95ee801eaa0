import { firstRequestIdAt } from '../core/id.ts'
import type { Engine } from '../store/engine.ts'
import { raiseFact } from '../store/facts.ts'
import { dropMonths } from '../store/months.ts'
import { floorFact, hourMs } from './usage-hour-sql.ts'

export interface Sweep {
  /** Rows of the log and attempts that were deleted one by one. */
  readonly rows: number
  /** Parts that were deleted whole. */
  readonly months: readonly string[]
  /** False when there is more to delete than one sweep may. */
  readonly isDone: boolean
}

const rowsPerBatch = 1_000
const batchesMax = 20

/**
 * Deletes what the log has from before a moment: whole months where the engine can, the rest in small batches, so
 * that those who write wait for milliseconds at most. Entries stay, for they are the money, and so do the sums of
 * the hours. These are closed first: a row that is gone and comes again out of an old journal is not counted twice.
 */
export async function sweepUsage(
  engine: Engine,
  beforeMs: number,
  limits = { rowsPerBatch, batchesMax },
): Promise<Sweep> {
  const before = beforeMs - (beforeMs % hourMs)
  const beforeId = firstRequestIdAt(before)
  // With a longer retention than before, what is gone is still gone.
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

/** Deletes a range of ids: first where it ends, then all up to there, so that both are a walk along one index. */
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
