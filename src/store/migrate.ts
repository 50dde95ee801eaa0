import { sql, type Transaction } from 'kysely'
import type { Engine } from './engine.ts'
import { hashOf, type Migration } from './migration.ts'
import type { Tables } from './tables.ts'

/** The number that all processes agree on for "I am changing the schema"; any constant does. */
const advisoryLock = 7_015_091

interface AppliedRow {
  readonly id: string
  readonly hash: string
}

const dialectWords = {
  sqlite: { $serial: 'INTEGER PRIMARY KEY AUTOINCREMENT', $compact: 'WITHOUT ROWID' },
  postgres: { $serial: 'BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY', $compact: '' },
} as const

/**
 * Brings the schema up to date in one transaction. Several processes may start at once: the first does the
 * work, the others wait for it and find nothing left to do. A database that has been migrated by other text
 * than ours, or by a newer version, is refused rather than guessed at.
 */
export async function migrate(
  engine: Engine,
  list: readonly Migration[],
  nowMs: number,
): Promise<string[]> {
  return engine.schemaDb.transaction().execute(async (tx) => {
    if (engine.kind === 'postgres') {
      await sql`SET LOCAL statement_timeout = 0`.execute(tx)
      await sql`SELECT pg_advisory_xact_lock(${advisoryLock})`.execute(tx)
    }
    await sql`CREATE TABLE IF NOT EXISTS migration (
      id TEXT PRIMARY KEY, hash TEXT NOT NULL, applied_at BIGINT NOT NULL)`.execute(tx)
    const applied = await sql<AppliedRow>`SELECT id, hash FROM migration ORDER BY id`.execute(tx)
    checkHistory(applied.rows, list)
    const done = new Set(applied.rows.map((row) => row.id))
    const pending = list.filter((migration) => !done.has(migration.id))
    for (const migration of pending) await applyOne(tx, engine.kind, migration, nowMs)
    return pending.map((migration) => migration.id)
  })
}

function checkHistory(applied: readonly AppliedRow[], list: readonly Migration[]): void {
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
        `Migration ${row.id} of the database was made from other text than this version's. Do not go on with this database; restore a backup or use the version that made it.`,
      )
    }
  }
}

async function applyOne(
  tx: Transaction<Tables>,
  kind: Engine['kind'],
  migration: Migration,
  nowMs: number,
): Promise<void> {
  const words = dialectWords[kind]
  for (const each of migration.statements) {
    const statement = typeof each === 'string' ? each : each[kind]
    if (statement === undefined) continue
    const text = statement.replace('$serial', words.$serial).replace('$compact', words.$compact)
    await sql.raw(text).execute(tx)
  }
  await sql`INSERT INTO migration (id, hash, applied_at)
    VALUES (${migration.id}, ${hashOf(migration)}, ${nowMs})`.execute(tx)
}
