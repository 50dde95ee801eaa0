import type { OwnKeys } from '../../../keys/key-list.ts'
import type { Engine } from '../../../store/engine.ts'

/** The keys of a user in some accounts. Deleted ones as well: the log has their rows. */
export async function ownKeyIds(
  db: Engine['db'],
  own: OwnKeys,
): Promise<{ readonly id: string; readonly accountId: string }[]> {
  if (own.accountIds.length === 0) return []
  return ownKeys(db, own).select(['id', 'account_id as accountId']).orderBy('id').execute()
}

/** The same as a part of another query. */
export function ownKeys(db: Engine['db'], { userId, accountIds }: OwnKeys) {
  return db
    .selectFrom('api_key')
    .where('owner_user_id', '=', userId)
    .where('account_id', 'in', accountIds)
}
