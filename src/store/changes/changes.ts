import { type Kysely, sql, type Transaction } from 'kysely'
import type { Engine } from '../engine.ts'
import { insertAll } from '../rows/in-slices.ts'
import type { Tables } from '../tables/tables.ts'

/** The subject of a change; the follower reloads only that. */
export type ChangeTopic = 'catalog' | 'key' | 'account' | 'recall' | 'secret'

export interface Change {
  readonly seq: number
  readonly topic: string
  readonly subject: string
}

/** The id of the advisory lock for changes; the same in all processes. */
const advisoryLock = 7_015_092
const pageRowsMax = 1_000

/**
 * Waits until no other process makes a change, and blocks others until this transaction ends. Changes are rare, and
 * read before they write: two gateways that start at once must not both find that something is missing. Postgres also
 * assigns sequence numbers before the commit; without turns, a follower could see 8 before 7 and never look back.
 * SQLite has only one writer anyway.
 */
export async function takeTurn(tx: Transaction<Tables>, kind: Engine['kind']): Promise<void> {
  if (kind === 'postgres')
    await sql.raw(`SELECT pg_advisory_xact_lock(${advisoryLock})`).execute(tx)
}

/** Announces changes in the transaction that makes them. The transaction must have taken its turn. */
export async function announceChanges(
  tx: Transaction<Tables>,
  changes: readonly { topic: ChangeTopic; subject: string; at: number }[],
): Promise<void> {
  await insertAll(changes, (rows) => tx.insertInto('change').values(rows).execute())
}

export async function latestChange(db: Kysely<Tables>): Promise<number> {
  const row = await db
    .selectFrom('change')
    .select(({ fn }) => fn.max('seq').as('seq'))
    .executeTakeFirst()
  return Number(row?.seq ?? 0)
}

export function changesAfter(db: Kysely<Tables>, seq: number): Promise<Change[]> {
  return db
    .selectFrom('change')
    .select(['seq', 'topic', 'subject'])
    .where('seq', '>', seq)
    .orderBy('seq')
    .limit(pageRowsMax)
    .execute()
}
