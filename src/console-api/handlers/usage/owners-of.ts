import type { Engine } from '../../../store/engine.ts'
import type { Scope } from '../../route.ts'
import type { UsageOwner } from './row-range.ts'

/** The owners of a query. A key belongs to one account, so with a key the account is only checked. */
export async function ownersOf(
  engine: Engine,
  { accountIds }: Scope,
  keyId: string | undefined,
): Promise<UsageOwner[]> {
  if (keyId === undefined)
    return accountIds === undefined ? [{}] : accountIds.map((accountId) => ({ accountId }))
  const key = await engine.db
    .selectFrom('api_key')
    .select('account_id')
    .where('id', '=', keyId)
    .executeTakeFirst()
  if (!key || accountIds?.includes(key.account_id) === false) return []
  return [{ keyId, accountId: key.account_id }]
}
