import { type Kysely, sql } from 'kysely'
import { firstRequestIdAt } from '../../core/id.ts'
import type { Engine } from '../engine.ts'
import type { Tables } from './tables.ts'

/** The tables with request ids as keys. On Postgres they are partitioned by month. */
export type MonthlyTable = 'entry' | 'usage_row' | 'attempt'

const monthlyTables: readonly MonthlyTable[] = ['entry', 'usage_row', 'attempt']
const monthsAhead = 2
/** Older rows of a restored database share one partition. */
const monthsBackMax = 120
const monthMs = 31 * 86_400_000
/** The id of the advisory lock for creating partitions; the same in all processes. */
const advisoryLock = 7_015_093
/** A statement that waits for a lock blocks the statements behind it, so give up early and try again later. */
const lockTimeout = '2s'

/** Request ids from `from` (inclusive) to `to` (exclusive); undefined means no bound. */
interface Part {
  readonly table: string
  readonly name: string
  readonly from: string | undefined
  readonly to: string | undefined
}

/**
 * Creates the partitions of this month and the next ones, before their first rows. Readers and writers of the table are
 * not blocked: a partition is created separately and then attached. Does nothing on SQLite, or when all exist. Returns
 * the names of the new partitions.
 */
export async function makeMonths(engine: Engine, nowMs: number): Promise<string[]> {
  if (engine.kind !== 'postgres') return []
  const wanted = monthlyTables.flatMap((table) =>
    Array.from({ length: monthsAhead + 1 }, (_, ahead) => monthOf(table, nowMs, ahead)),
  )
  if (missingOf(wanted, await listParts(engine.db)).length === 0) return []
  return engine.db.transaction().execute(async (tx) => {
    await sql
      .raw(
        `SET LOCAL lock_timeout = '${lockTimeout}'; SELECT pg_advisory_xact_lock(${advisoryLock})`,
      )
      .execute(tx)
    // Another process may have been faster.
    const missing = missingOf(wanted, await listParts(tx))
    if (missing.length > 0) await sql.raw(missing.map(textOf).join(';\n')).execute(tx)
    return missing.map(({ name }) => name)
  })
}

/** Creates the partitions of every month from that of `fromMs` on, for rows that are about to be restored. */
export function monthTexts(fromMs: number | null, nowMs: number): string[] {
  const first = new Date(Math.max(fromMs ?? nowMs, nowMs - monthsBackMax * monthMs))
  const now = new Date(nowMs)
  const months =
    (now.getUTCFullYear() - first.getUTCFullYear()) * 12 +
    (now.getUTCMonth() - first.getUTCMonth()) +
    monthsAhead
  return monthlyTables.flatMap((table) =>
    Array.from({ length: Math.max(0, months) + 1 }, (_, ahead) =>
      textOf(monthOf(table, first.getTime(), ahead)),
    ),
  )
}

/** Deletes whole months before a request id. */
export async function dropMonths(
  engine: Engine,
  table: MonthlyTable,
  beforeId: string,
): Promise<string[]> {
  if (engine.kind !== 'postgres') return []
  const dropped: string[] = []
  for (const { name, to, table: parent } of await listParts(engine.db)) {
    if (parent !== table || to === undefined || to > beforeId) continue
    await engine.db.transaction().execute(async (tx) => {
      await sql.raw(`SET LOCAL lock_timeout = '${lockTimeout}'`).execute(tx)
      await sql.raw(`DROP TABLE IF EXISTS ${name}`).execute(tx)
    })
    dropped.push(name)
  }
  return dropped
}

interface Month {
  readonly table: MonthlyTable
  readonly name: string
  readonly from: string
  readonly to: string
}

function monthOf(table: MonthlyTable, nowMs: number, ahead: number): Month {
  const now = new Date(nowMs)
  const startMs = Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + ahead)
  const endMs = Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + ahead + 1)
  const name = `${table}_${new Date(startMs).toISOString().slice(0, 7).replace('-', '_')}`
  return { table, name, from: firstRequestIdAt(startMs), to: firstRequestIdAt(endMs) }
}

function missingOf(wanted: readonly Month[], parts: readonly Part[]): Month[] {
  return wanted.filter((month) => !parts.some((part) => holds(part, month)))
}

function holds(part: Part, { table, from }: Month): boolean {
  if (part.table !== table) return false
  return (part.from === undefined || part.from <= from) && part.to !== undefined && from < part.to
}

async function listParts(db: Kysely<Tables>): Promise<Part[]> {
  const parents = monthlyTables.map((table) => `CAST('${table}' AS regclass)`).join(', ')
  const { rows } = await sql
    .raw<{ parent: string; name: string; bounds: string }>(
      `SELECT parent.relname AS parent, part.relname AS name,
        pg_get_expr(part.relpartbound, part.oid) AS bounds
      FROM pg_inherits JOIN pg_class part ON part.oid = inhrelid
        JOIN pg_class parent ON parent.oid = inhparent
      WHERE inhparent IN (${parents})
      ORDER BY part.relname`,
    )
    .execute(db)
  return rows.map(({ parent, name, bounds }) => {
    const [, from, to] = /FROM \(([^)]*)\) TO \(([^)]*)\)/.exec(bounds) ?? []
    return { table: parent, name, from: readBound(from), to: readBound(to) }
  })
}

/** A quoted id, or a keyword such as MINVALUE for no bound. */
function readBound(text: string | undefined): string | undefined {
  return text?.startsWith("'") ? text.slice(1, -1) : undefined
}

/**
 * Rows that arrived before their partition are in the default partition `_rest`, and must be moved before the new one
 * is attached.
 */
function textOf({ table, name, from, to }: Month): string {
  return `CREATE TABLE ${name} (LIKE ${table} INCLUDING ALL);
    WITH early AS (DELETE FROM ${table}_rest
      WHERE request_id >= '${from}' AND request_id < '${to}' RETURNING *)
      INSERT INTO ${name} SELECT * FROM early;
    ALTER TABLE ${table} ATTACH PARTITION ${name} FOR VALUES FROM ('${from}') TO ('${to}')`
}
