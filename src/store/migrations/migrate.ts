import { type Kysely, sql, type Transaction } from 'kysely'
import { putFact, readFact } from '../changes/facts.ts'
import { type Engine, TransientStoreError } from '../engine.ts'
import type { Tables } from '../tables/tables.ts'
import { foundation } from './0001-foundation.ts'
import { hashOf, type Migration } from './migration.ts'

/** The id of the advisory lock for schema changes; the same in all processes, otherwise arbitrary. */
const advisoryLock = 7_015_091

/** A rehearsal gives up when it would block requests for longer while it waits for a lock. */
const rehearsalLockMs = 2_000

/** The last migration that a program must know to use the database. */
export const readerFact = 'minimum-reader'
const firstWithFacts = foundation.id

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
 * others wait for it and find nothing left to do. A database migrated with other texts than ours is refused, and one of
 * a newer version unless that version has only added to it.
 */
export async function migrate(
  engine: Engine,
  list: readonly Migration[],
  nowMs: number,
): Promise<string[]> {
  const { pending } = await planMigrations(engine, list)
  if (pending.length === 0) return []
  return changeSchema(engine, (tx) => applyPending(tx, engine.kind, list, nowMs))
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

export interface MigrationPlan {
  readonly pending: readonly Migration[]
  /** Migrations of a newer version, which has only added to the schema. */
  readonly newer: readonly string[]
}

/**
 * The migrations that `migrate` would apply. Nearly every start has nothing to do, and finds this out with one query.
 */
export async function planMigrations(
  engine: Engine,
  list: readonly Migration[],
): Promise<MigrationPlan> {
  let applied: readonly AppliedRow[]
  try {
    applied = await readHistory(engine.schemaDb)
  } catch (error) {
    // The table does not exist yet. If something else is wrong, the transaction fails as well.
    if (error instanceof TransientStoreError) throw error
    return { pending: list, newer: [] }
  }
  const pending = pendingOf(applied, list, await readMinimumReader(engine.schemaDb, applied, list))
  const known = new Set(list.map(({ id }) => id))
  return { pending, newer: applied.map(({ id }) => id).filter((id) => !known.has(id)) }
}

class RolledBack extends Error {}

/** Applies the pending migrations and takes them back. Holds the same locks as `migrate`, for as long. */
export async function rehearse(
  engine: Engine,
  list: readonly Migration[],
  nowMs: number,
): Promise<void> {
  try {
    await changeSchema(engine, async (tx) => {
      if (engine.kind === 'postgres')
        await sql.raw(`SET LOCAL lock_timeout = ${rehearsalLockMs}`).execute(tx)
      await applyPending(tx, engine.kind, list, nowMs)
      throw new RolledBack()
    })
  } catch (error) {
    if (!(error instanceof RolledBack)) throw error
  }
}

async function applyPending(
  tx: Transaction<Tables>,
  kind: Engine['kind'],
  list: readonly Migration[],
  nowMs: number,
): Promise<string[]> {
  await makeHistory(tx)
  const history = await readHistory(tx)
  const pending = pendingOf(history, list, await readMinimumReader(tx, history, list))
  await applyAll(tx, kind, { list, pending }, nowMs)
  return pending.map((migration) => migration.id)
}

export async function readHistory(db: Kysely<Tables>): Promise<readonly AppliedRow[]> {
  const { rows } = await sql<AppliedRow>`SELECT id, hash FROM migration ORDER BY id`.execute(db)
  return rows
}

/** The migrations that a database lacks. Throws if this program must not use the database. */
function pendingOf(
  applied: readonly AppliedRow[],
  list: readonly Migration[],
  minimumReader?: string,
): Migration[] {
  checkHistory(applied, list, minimumReader)
  const done = new Set(applied.map((row) => row.id))
  return list.filter((migration) => !done.has(migration.id))
}

/**
 * A newer version records the last migration that a program must know to use the database (`minimumReader`); a program
 * that knows it ignores the migrations that it does not know.
 */
export function checkHistory(
  applied: readonly AppliedRow[],
  list: readonly Migration[],
  minimumReader?: string,
): void {
  const known = new Map(list.map((migration) => [migration.id, hashOf(migration)]))
  const isReader = minimumReader !== undefined && known.has(minimumReader)
  for (const row of applied) {
    const hash = known.get(row.id)
    if (hash === undefined) {
      if (isReader) continue
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

/** Undefined when this program knows all migrations, or the database does not say. */
async function readMinimumReader(
  db: Kysely<Tables>,
  applied: readonly AppliedRow[],
  list: readonly Migration[],
): Promise<string | undefined> {
  const known = new Set(list.map(({ id }) => id))
  if (applied.every(({ id }) => known.has(id))) return undefined
  return readFact(db, readerFact)
}

/**
 * On Postgres all texts are one script: otherwise the first start would wait for a hundred answers, one after the
 * other.
 */
export async function applyAll(
  tx: Transaction<Tables>,
  kind: Engine['kind'],
  { list, pending }: { list: readonly Migration[]; pending: readonly Migration[] },
  nowMs: number,
): Promise<void> {
  if (pending.length === 0) return
  const texts = pending.flatMap((migration) => textsOf(migration, kind))
  if (kind === 'postgres') await sql.raw(texts.join(';\n')).execute(tx)
  else for (const text of texts) await sql.raw(text).execute(tx)
  const rows = pending.map((migration) => sql`(${migration.id}, ${hashOf(migration)}, ${nowMs})`)
  await sql`INSERT INTO migration (id, hash, applied_at) VALUES ${sql.join(rows)}`.execute(tx)
  const minimum = list.findLast(({ isAdditive }) => isAdditive !== true)
  if (minimum && list.some(({ id }) => id === firstWithFacts))
    await putFact(tx, readerFact, minimum.id)
}

export function textsOf(migration: Migration, kind: Engine['kind']): string[] {
  const words = dialectWords[kind]
  return migration.statements.flatMap((each) => {
    const statement = typeof each === 'string' ? each : each[kind]
    if (statement === undefined) return []
    return [statement.replace('$serial', words.$serial).replace('$compact', words.$compact)]
  })
}
