import type { Engine } from '../../../store/engine.ts'
import type { Scope } from '../../routes/route.ts'
import { ownKeyIds } from './own-key-ids.ts'
import type { UsageOwner } from './row-range.ts'

/**
 * The owners of a query. A key belongs to one account, so with a key the account is only checked. In an account that
 * the caller does not own, the owners are the caller's own keys.
 */
export async function ownersOf(
  engine: Engine,
  { accountIds, own }: Scope,
  keyId: string | undefined,
): Promise<UsageOwner[]> {
  if (keyId !== undefined) return ownerOfKey(engine, { accountIds, ...(own && { own }) }, keyId)
  if (accountIds === undefined) return [{}]
  const whole = accountIds.filter((id) => own?.accountIds.includes(id) !== true)
  const keys = own === undefined ? [] : await ownKeyIds(engine.db, own)
  return [
    ...whole.map((accountId) => ({ accountId })),
    ...keys.map(({ id, accountId }) => ({ keyId: id, accountId, isOwn: true as const })),
  ]
}

async function ownerOfKey(
  { db }: Engine,
  { accountIds, own }: Scope,
  keyId: string,
): Promise<UsageOwner[]> {
  const key = await db
    .selectFrom('api_key')
    .select(['account_id', 'owner_user_id'])
    .where('id', '=', keyId)
    .executeTakeFirst()
  if (!key || accountIds?.includes(key.account_id) === false) return []
  const { account_id: accountId } = key
  if (own?.accountIds.includes(accountId) !== true) return [{ keyId, accountId }]
  return key.owner_user_id === own.userId ? [{ keyId, accountId, isOwn: true }] : []
}
