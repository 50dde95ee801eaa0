import { sql } from 'kysely'
import type { Engine } from '../store/engine.ts'
import { databaseNow } from '../store/rows/database-now.ts'

/** The latest time in the database: its clock, or the last sign of life of a replica if that is later. */
export async function newestTime(engine: Engine): Promise<number> {
  const row = await engine.db
    .selectFrom('replica')
    .select(({ fn }) => [
      sql<number>`${databaseNow(engine)}`.as('now'),
      fn.max('seen_at').as('seen_at'),
    ])
    .executeTakeFirstOrThrow()
  return Math.max(Number(row.now), Number(row.seen_at ?? 0))
}
