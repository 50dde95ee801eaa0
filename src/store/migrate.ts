import { type Kysely, sql, type Transaction } from 'kysely'
import { type Engine, TransientStoreError } from './engine.ts'
import { hashOf, type Migration } from './migration.ts'
import type { Tables } from './tables.ts'

/** The id of the advisory lock for schema changes; the same in all processes, otherwise arbitrary. */
const advisoryLock = 7_015_091

export interface AppliedRow {
  readonly id: string
  readonly hash: string
}

const dialectWords = {
  sqlite: { $serial: 'INTEGER PRIMARY KEY AUTOINCREMENT', $compact: 'WITHOUT ROWID' },
  postgres: { $serial: 'BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY', $compact: '' },
} as const

/**
 * Brings the schema up to date in one transaction. Several processes may start at once: the first does the work, the
 * others wait for it and find nothing left to do. A database migrated with other texts than ours, or by a newer
 * version, is refused.
 */
export async function migrate(
  engine: Engine,
  list: readonly Migration[],
  nowMs: number,
): Promise<string[]> {
  if (await isUpToDate(engine, list)) return []
  return changeSchema(engine, async (tx) => {
    await makeHistory(tx)
    const pending = pendingOf(await readHistory(tx), list)
    await applyAll(tx, engine.kind, pending, nowMs)
    return pending.map((migration) => migration.id)
  })
}

/** A transaction without a time limit that changes the schema; one process at a time. */
export async function changeSchema<Value>(
  engine: Engine,
  work: (tx: Transaction<Tables>) => Promise<Value>,
): Promise<Value> {
  return engine.schemaDb.transaction().execute(async (tx) => {
    if (engine.kind === 'postgres') {
      await sql
        .raw(
          `SET LOCAL statement_timeout = 0; SET LOCAL idle_in_transaction_session_timeout = 0;
          SELECT pg_advisory_xact_lock(${advisoryLock})`,
        )
        .execute(tx)
    }
    return work(tx)
  })
}

export async function makeHistory(tx: Transaction<Tables>): Promise<void> {
  await sql`CREATE TABLE IF NOT EXISTS migration (
    id TEXT PRIMARY KEY, hash TEXT NOT NULL, applied_at BIGINT NOT NULL)`.execute(tx)
}

/** Nearly every start has nothing to do, and finds this out with one query. */
async function isUpToDate(engine: Engine, list: readonly Migration[]): Promise<boolean> {
  let applied: readonly AppliedRow[]
  try {
    applied = await readHistory(engine.schemaDb)
  } catch (error) {
    // The table does not exist yet. If something else is wrong, the transaction fails as well.
    if (error instanceof TransientStoreError) throw error
    return false
  }
  return pendingOf(applied, list).length === 0
}

export async function readHistory(db: Kysely<Tables>): Promise<readonly AppliedRow[]> {
  const { rows } = await sql<AppliedRow>`SELECT id, hash FROM migration ORDER BY id`.execute(db)
  return rows
}

function pendingOf(applied: readonly AppliedRow[], list: readonly Migration[]): Migration[] {
  checkHistory(applied, list)
  const done = new Set(applied.map((row) => row.id))
  return list.filter((migration) => !done.has(migration.id))
}

export function checkHistory(applied: readonly AppliedRow[], list: readonly Migration[]): void {
  const known = new Map(list.map((migration) => [migration.id, hashOf(migration)]))
  for (const row of applied) {
    const hash = known.get(row.id)
    if (hash === undefined) {
      throw new Error(
        `The database has migration ${row.id}, which this version of Tollgate does not know: it was last used by a newer version. Start that version, or restore a backup.`,
      )
    }
    if (hash !== row.hash) {
      throw new Error(
        `Migration ${row.id} of the database has another text than in this version. Do not use this database with this version; restore a backup, or use the version that applied the migration.`,
      )
    }
  }
}

/**
 * On Postgres all texts are one script: otherwise the first start would wait for a hundred answers, one after the
 * other.
 */
export async function applyAll(
  tx: Transaction<Tables>,
  kind: Engine['kind'],
  pending: readonly Migration[],
  nowMs: number,
): Promise<void> {
  if (pending.length === 0) return
  const texts = pending.flatMap((migration) => textsOf(migration, kind))
  if (kind === 'postgres') await sql.raw(texts.join(';\n')).execute(tx)
  else for (const text of texts) await sql.raw(text).execute(tx)
  const rows = pending.map((migration) => sql`(${migration.id}, ${hashOf(migration)}, ${nowMs})`)
  await sql`INSERT INTO migration (id, hash, applied_at) VALUES ${sql.join(rows)}`.execute(tx)
}

export function textsOf(migration: Migration, kind: Engine['kind']): string[] {
  const words = dialectWords[kind]
  return migration.statements.flatMap((each) => {
    const statement = typeof each === 'string' ? each : each[kind]
    if (statement === undefined) return []
    return [statement.replace('$serial', words.$serial).replace('$compact', words.$compact)]
  })
}
