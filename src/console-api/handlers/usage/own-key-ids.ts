import { type RawBuilder, sql } from 'kysely'
import type { OwnKeys } from '../../../keys/key-list.ts'
import type { Engine } from '../../../store/engine.ts'
import { hourMs } from '../../../usage/usage-hour-sql.ts'

/** The keys of a user in some accounts. Deleted ones as well: the log has their rows. */
export async function ownKeyIds(
  db: Engine['db'],
  { userId, accountIds }: OwnKeys,
): Promise<{ readonly id: string; readonly accountId: string }[]> {
  if (accountIds.length === 0) return []
  return db
    .selectFrom('api_key')
    .select(['id', 'account_id as accountId'])
    .where('owner_user_id', '=', userId)
    .where('account_id', 'in', accountIds)
    .orderBy('id')
    .execute()
}

export interface FormerKey {
  readonly id: string
  readonly accountId: string
  /** When the key became a service key: earlier requests are the user's. */
  readonly untilMs: number
}

/** The service keys that were keys of the user. */
export async function formerKeyIds(
  db: Engine['db'],
  { userId, accountIds }: OwnKeys,
): Promise<FormerKey[]> {
  if (accountIds.length === 0) return []
  return db
    .selectFrom('former_key_owner')
    .select(['key_id as id', 'account_id as accountId', 'until_at as untilMs'])
    .where('user_id', '=', userId)
    .where('account_id', 'in', accountIds)
    .orderBy('key_id')
    .execute()
}

/** A part of another query: the ids of the user's keys, and of service keys that were the user's. */
export function ownedKeys({ userId, accountIds }: OwnKeys): RawBuilder<unknown> {
  const accounts = sql.join(accountIds)
  return sql`SELECT id FROM api_key WHERE owner_user_id = ${userId} AND account_id IN (${accounts})
    UNION ALL SELECT key_id FROM former_key_owner
      WHERE user_id = ${userId} AND account_id IN (${accounts})`
}

/** A condition on the hour `u`: the whole hour is before its key became a service key, or the key never did. */
export const isWholeOwned = sql<boolean>`NOT EXISTS (SELECT 1 FROM former_key_owner o
  WHERE o.key_id = u.key_id AND o.until_at < u.hour + ${sql.lit(hourMs)})`
