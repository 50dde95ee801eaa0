import { type Kysely, sql, type Transaction } from 'kysely'
import type { Engine } from './engine.ts'
import type { Tables } from './tables.ts'

/** What a change is about; the follower reloads that and nothing else. */
export type ChangeTopic = 'catalog' | 'key' | 'account' | 'recall'

export interface Change {
  readonly seq: number
  readonly topic: string
  readonly subject: string
}

/** The number that all processes agree on for "I am announcing a change". */
const advisoryLock = 7_015_092
const pageRowsMax = 1_000

/**
 * Announces a change inside the transaction that makes it. On Postgres numbers are handed out before commit, so
 * a follower could see 8 before 7 and never look back: announcers therefore take turns. Changes are rare.
 */
export async function announceChange(
  tx: Transaction<Tables>,
  kind: Engine['kind'],
  change: { topic: ChangeTopic; subject: string; at: number },
): Promise<void> {
  if (kind === 'postgres') await sql`SELECT pg_advisory_xact_lock(${advisoryLock})`.execute(tx)
  await tx.insertInto('change').values(change).execute()
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
