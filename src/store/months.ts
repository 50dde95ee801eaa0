import { type Kysely, sql } from 'kysely'
import { firstRequestIdAt } from '../core/id.ts'
import type { Engine } from './engine.ts'
import type { Tables } from './tables.ts'

/** The tables whose rows stand under request ids: on Postgres they are in parts, one for each month. */
export type MonthlyTable = 'entry' | 'usage_row' | 'attempt'

const monthlyTables: readonly MonthlyTable[] = ['entry', 'usage_row', 'attempt']
const monthsAhead = 2
/** Who waits for a lock keeps others waiting behind it; rather later than that. */
const lockTimeout = '2s'

/** Request ids from `from` on, to before `to`; undefined where there is no bound. */
interface Part {
  readonly name: string
  readonly from: string | undefined
  readonly to: string | undefined
}

/**
 * Makes the parts of this month and the next ones, so that each is there before its first row. Neither readers nor
 * writers of the table have to stand still: a part is made beside the table and then attached. On SQLite, and when
 * all are there, nothing happens. Answers the names of those that were made.
 */
export async function makeMonths(engine: Engine, nowMs: number): Promise<string[]> {
  if (engine.kind !== 'postgres') return []
  const made: string[] = []
  for (const table of monthlyTables) {
    const parts = await listParts(engine.db, table)
    for (let ahead = 0; ahead <= monthsAhead; ahead += 1) {
      const month = monthOf(table, nowMs, ahead)
      if (!parts.some((part) => holds(part, month.from))) {
        if (await makePart(engine, table, month)) made.push(month.name)
      }
    }
  }
  return made
}

/** Deletes whole months that lie before a request id. */
export async function dropMonths(
  engine: Engine,
  table: MonthlyTable,
  beforeId: string,
): Promise<string[]> {
  if (engine.kind !== 'postgres') return []
  const dropped: string[] = []
  for (const { name, to } of await listParts(engine.db, table)) {
    if (to === undefined || to > beforeId) continue
    await engine.db.transaction().execute(async (tx) => {
      await sql.raw(`SET LOCAL lock_timeout = '${lockTimeout}'`).execute(tx)
      await sql.raw(`DROP TABLE IF EXISTS ${name}`).execute(tx)
    })
    dropped.push(name)
  }
  return dropped
}

function monthOf(table: MonthlyTable, nowMs: number, ahead: number) {
  const now = new Date(nowMs)
  const startMs = Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + ahead)
  const endMs = Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + ahead + 1)
  const name = `${table}_${new Date(startMs).toISOString().slice(0, 7).replace('-', '_')}`
  return { name, from: firstRequestIdAt(startMs), to: firstRequestIdAt(endMs) }
}

function holds(part: Part, id: string): boolean {
  return (part.from === undefined || part.from <= id) && part.to !== undefined && id < part.to
}

async function listParts(db: Kysely<Tables>, table: MonthlyTable): Promise<Part[]> {
  const { rows } = await sql<{ name: string; bounds: string }>`
    SELECT part.relname AS name, pg_get_expr(part.relpartbound, part.oid) AS bounds
    FROM pg_inherits JOIN pg_class part ON part.oid = inhrelid
    WHERE inhparent = CAST(${table} AS regclass)
    ORDER BY part.relname`.execute(db)
  return rows.map(({ name, bounds }) => {
    const [, from, to] = /FROM \(([^)]*)\) TO \(([^)]*)\)/.exec(bounds) ?? []
    return { name, from: readBound(from), to: readBound(to) }
  })
}

/** `'…'`, or a word for no bound. */
function readBound(text: string | undefined): string | undefined {
  return text?.startsWith("'") ? text.slice(1, -1) : undefined
}

/** False when another process was quicker. */
async function makePart(
  engine: Engine,
  table: MonthlyTable,
  month: { name: string; from: string; to: string },
): Promise<boolean> {
  const { name, from, to } = month
  return engine.db.transaction().execute(async (tx) => {
    await sql.raw(`SET LOCAL lock_timeout = '${lockTimeout}'`).execute(tx)
    await sql`SELECT pg_advisory_xact_lock(hashtext(${name}))`.execute(tx)
    if ((await listParts(tx, table)).some((part) => part.name === name)) return false
    await sql.raw(`CREATE TABLE ${name} (LIKE ${table} INCLUDING ALL)`).execute(tx)
    // Rows that came before their month was made wait in the rest, and must not be there when it is attached.
    await sql
      .raw(
        `WITH early AS (DELETE FROM ${table}_rest
          WHERE request_id >= '${from}' AND request_id < '${to}' RETURNING *)
          INSERT INTO ${name} SELECT * FROM early`,
      )
      .execute(tx)
    await sql
      .raw(`ALTER TABLE ${table} ATTACH PARTITION ${name} FOR VALUES FROM ('${from}') TO ('${to}')`)
      .execute(tx)
    return true
  })
}
