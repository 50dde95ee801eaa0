import { type RawBuilder, sql } from 'kysely'
import type { Engine } from '../engine.ts'

/** The time of the database's clock, which is the same for all replicas. */
export function databaseNow({ clockSql }: Pick<Engine, 'clockSql'>): RawBuilder<number> {
  return sql<number>`${sql.raw(clockSql)}`
}

/** A running replica shows that it is alive more often than this. */
export const aliveMs = 30_000

/** Asks the database for its time. */
export async function readDatabaseMs(engine: Pick<Engine, 'clockSql' | 'db'>): Promise<number> {
  const { rows } = await sql<{ now: number }>`SELECT ${databaseNow(engine)} AS now`.execute(
    engine.db,
  )
  return Number(rows[0]?.now)
}
