import { type RawBuilder, sql } from 'kysely'
import type { Engine } from '../engine.ts'

type Database = Engine['db']

/** Reads a single named value of the database, such as the time when the set-up was closed. */
export async function readFact(db: Database, name: string): Promise<string | undefined> {
  const row = await db
    .selectFrom('fact')
    .select('value')
    .where('name', '=', name)
    .executeTakeFirst()
  return row?.value
}

/** Reads several values as they are at one moment. */
export async function readFacts(
  db: Database,
  names: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  const rows = await db
    .selectFrom('fact')
    .select(['name', 'value'])
    .where('name', 'in', names)
    .execute()
  return new Map(rows.map(({ name, value }) => [name, value]))
}

/** Adds the value unless the name exists; returns whether it is new. */
export async function addFact(db: Database, name: string, value: string): Promise<boolean> {
  const made = await db
    .insertInto('fact')
    .values({ name, value })
    .onConflict((conflict) => conflict.column('name').doNothing())
    .returning('name')
    .executeTakeFirst()
  return made !== undefined
}

export async function putFact(
  db: Database,
  name: string,
  value: string | RawBuilder<string>,
): Promise<void> {
  const text = typeof value === 'string' ? sql`CAST(${value} AS TEXT)` : value
  await sql`INSERT INTO fact (name, value) SELECT CAST(${name} AS TEXT), ${text} WHERE TRUE
    ON CONFLICT (name) DO UPDATE SET value = excluded.value`.execute(db)
}

export async function removeFact(db: Database, name: string): Promise<void> {
  await db.deleteFrom('fact').where('name', '=', name).execute()
}

/** Stores a number that never decreases. */
export async function raiseFact(db: Database, name: string, value: number): Promise<void> {
  await sql`INSERT INTO fact (name, value) VALUES (${name}, ${String(value)})
    ON CONFLICT (name) DO UPDATE SET value = excluded.value
    WHERE CAST(fact.value AS BIGINT) < CAST(excluded.value AS BIGINT)`.execute(db)
}

/**
 * Takes a turn that at most one process gets in `everyMs`. Returns whether this process got it. A turn in the future was
 * taken by a process whose clock was ahead, and does not count.
 */
export async function claimTurn(
  db: Database,
  name: string,
  nowMs: number,
  everyMs: number,
): Promise<boolean> {
  const latest = Math.floor(nowMs - everyMs)
  const { rows } = await sql<{ name: string }>`
    INSERT INTO fact (name, value) VALUES (${name}, ${String(nowMs)})
    ON CONFLICT (name) DO UPDATE SET value = excluded.value
    WHERE CAST(fact.value AS BIGINT) NOT BETWEEN ${latest + 1} AND ${Math.ceil(nowMs + everyMs)}
    RETURNING name`.execute(db)
  return rows.length > 0
}
