import { sql } from 'kysely'
import type { Engine } from '../store/engine.ts'
import { databaseNow } from '../store/rows/database-now.ts'
import type { RateKind } from './allotment.ts'
import { type DemandRow, joinName } from './announced-demands.ts'
import { fullInMsMax } from './rate.ts'

/** The announcements of all processes that one reading accepts. */
const readMax = 100_000
/** Counts that nobody has changed for this long are those of unused limits. */
const unusedMs = 600_000

/** The processes that have reported within this time, and the time of the database. */
export function listReplicas(
  engine: Engine,
  withinMs: number,
): Promise<{ readonly id: string; readonly seen_at: number; readonly now: number }[]> {
  const now = databaseNow(engine)
  return engine.db
    .selectFrom('replica')
    .select(['id', 'seen_at', now.as('now')])
    .where('seen_at', '>', sql<number>`${now} - ${sql.lit(withinMs)}`)
    .where((eb) => eb.or([eb('lived_epoch', 'is', null), eb('lived_epoch', '=', eb.ref('epoch'))]))
    .orderBy('id')
    .execute()
}

/** The announcements of all processes since a time. */
export async function readDemands(engine: Engine, since: number): Promise<DemandRow[]> {
  const rows = await engine.db
    .selectFrom('rate_demand')
    .selectAll()
    .where('seen_at', '>', since)
    .limit(readMax)
    .execute()
  if (rows.length === readMax) throw new Error('Too many rate limits are in use to share them.')
  return rows
}

/** Writes the announcements of a process: others read all of them or none. */
export async function writeDemands(engine: Engine, rows: readonly DemandRow[]): Promise<void> {
  if (rows.length === 0) return
  const at = databaseNow(engine)
  await engine.db
    .insertInto('rate_demand')
    .values(rows.map((row) => ({ ...row, seen_at: at })))
    .onConflict((conflict) =>
      conflict.columns(['replica', 'name']).doUpdateSet((eb) => ({
        demand: eb.ref('excluded.demand'),
        earlier: eb.ref('excluded.earlier'),
        changed_at: eb.ref('excluded.changed_at'),
        seen_at: eb.ref('excluded.seen_at'),
      })),
    )
    .execute()
}

/** By name: how long it takes until all that is counted of a small limit is available again. */
export async function readCounts(
  engine: Engine,
): Promise<ReadonlyMap<string, Readonly<Record<RateKind, number>>>> {
  const now = databaseNow(engine)
  const rows = await engine.db
    .selectFrom('rate_count')
    .select(['name', 'requests_left_ms', 'tokens_left_ms', 'counted_at', now.as('now')])
    .where('counted_at', '>', sql<number>`${now} - ${sql.lit(fullInMsMax)}`)
    .limit(readMax)
    .execute()
  return new Map(
    rows.map(({ name, requests_left_ms, tokens_left_ms, counted_at, now: readAt }) => {
      const passedMs = Math.max(0, Number(readAt) - counted_at)
      const left = (ms: number) => Math.max(0, ms - passedMs)
      return [name, { requests: left(requests_left_ms), tokens: left(tokens_left_ms) }]
    }),
  )
}

/** Changes the row with which a process has joined the others. */
export async function updateJoin(engine: Engine, replica: string, demand: number): Promise<void> {
  await engine.db
    .updateTable('rate_demand')
    .set({ demand, seen_at: databaseNow(engine) })
    .where('replica', '=', replica)
    .where('name', '=', joinName)
    .execute()
}

/** Repeats the announcements of a process that have a demand, and those with a name. */
export async function repeatDemands(
  engine: Engine,
  replica: string,
  names: readonly string[],
): Promise<void> {
  await engine.db
    .updateTable('rate_demand')
    .set({ seen_at: databaseNow(engine) })
    .where('replica', '=', replica)
    .where((eb) => eb.or([eb('demand', '>', 0), eb('name', 'in', names)]))
    .execute()
}

/** Deletes the rows of processes that are gone, and counts of limits that are not in use. */
export async function dropOldRows(engine: Engine, forgottenMs: number): Promise<void> {
  const at = databaseNow(engine)
  await engine.db
    .deleteFrom('rate_demand')
    .where('seen_at', '<', sql<number>`${at} - ${sql.lit(forgottenMs)}`)
    .execute()
  await engine.db
    .deleteFrom('rate_count')
    .where('counted_at', '<', sql<number>`${at} - ${sql.lit(unusedMs)}`)
    .execute()
}
