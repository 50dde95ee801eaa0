import { sql, type Transaction } from 'kysely'
import type { Engine } from '../engine.ts'
import type { Tables } from '../tables/tables.ts'

/**
 * Rows of a backup arrive in no particular order: a row may come before the one that it refers to. References are
 * checked at the end instead, and triggers, which judge new rows, do not judge old ones. Returns the function that puts
 * both in force again.
 */
export async function deferConstraints(
  tx: Transaction<Tables>,
  kind: Engine['kind'],
): Promise<() => Promise<void>> {
  return kind === 'sqlite' ? holdOnSqlite(tx) : holdOnPostgres(tx)
}

async function holdOnSqlite(tx: Transaction<Tables>): Promise<() => Promise<void>> {
  // SQLite checks at the commit, and then resets this setting itself.
  await sql.raw('PRAGMA defer_foreign_keys = ON').execute(tx)
  const { rows } = await sql<{ name: string; text: string }>`
    SELECT name, sql AS text FROM sqlite_master WHERE type = 'trigger'`.execute(tx)
  for (const { name } of rows) await sql.raw(`DROP TRIGGER "${name}"`).execute(tx)
  return async () => {
    for (const { text } of rows) await sql.raw(text).execute(tx)
  }
}

async function holdOnPostgres(tx: Transaction<Tables>): Promise<() => Promise<void>> {
  const { rows: references } = await sql<{ name: string; owner: string }>`
    SELECT quote_ident(conname) AS name, CAST(CAST(conrelid AS regclass) AS TEXT) AS owner
    FROM pg_constraint WHERE contype = 'f' AND conparentid = 0
      AND connamespace = CAST(current_schema() AS regnamespace)`.execute(tx)
  const { rows: judged } = await sql<{ owner: string }>`
    SELECT DISTINCT CAST(CAST(tgrelid AS regclass) AS TEXT) AS owner FROM pg_trigger
    JOIN pg_class ON pg_class.oid = tgrelid
    WHERE NOT tgisinternal AND relnamespace = CAST(current_schema() AS regnamespace)`.execute(tx)
  const alter = async (texts: readonly string[]) => {
    if (texts.length > 0) await sql.raw(texts.join('; ')).execute(tx)
  }
  const defer = (how: string) =>
    references.map(({ name, owner }) => `ALTER TABLE ${owner} ALTER CONSTRAINT ${name} ${how}`)
  await alter(defer('DEFERRABLE INITIALLY DEFERRED'))
  await alter(judged.map(({ owner }) => `ALTER TABLE ${owner} DISABLE TRIGGER USER`))
  return async () => {
    await sql.raw('SET CONSTRAINTS ALL IMMEDIATE').execute(tx)
    await alter(judged.map(({ owner }) => `ALTER TABLE ${owner} ENABLE TRIGGER USER`))
    await alter(defer('NOT DEFERRABLE'))
  }
}
