import type { Engine } from '../../../store/engine.ts'
import type { Scope } from '../../routes/route.ts'
import { type FormerKey, formerKeyIds, ownKeyIds } from './own-key-ids.ts'
import type { UsageOwner } from './row-range.ts'

/**
 * The owners of a query. A key belongs to one account, so with a key the account is only checked. In an account that
 * the caller does not own, the owners are the caller's own keys, and service keys until they stopped being the caller's.
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
  const former = own === undefined ? [] : await formerKeyIds(engine.db, own)
  return [
    ...whole.map((accountId) => ({ accountId })),
    ...keys.map(({ id, accountId }) => ({ keyId: id, accountId, isOwn: true as const })),
    ...former.map(formerOwner),
  ]
}

function formerOwner({ id, accountId, untilMs }: FormerKey): UsageOwner {
  return { keyId: id, accountId, isOwn: true, untilMs }
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
  if (key.owner_user_id === own.userId) return [{ keyId, accountId, isOwn: true }]
  const former = await formerKeyIds(db, { userId: own.userId, accountIds: [accountId] })
  return former.filter(({ id }) => id === keyId).map(formerOwner)
}
