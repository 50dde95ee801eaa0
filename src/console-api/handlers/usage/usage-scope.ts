import type { Engine } from '../../../store/engine.ts'
import type { Scope } from '../../routes/route.ts'

/**
 * What the caller may see, or the part of it that is of one user: as if that user had asked. In an account that the
 * caller does not own, the only such user is the caller.
 */
export async function usageScope(
  engine: Engine,
  scope: Scope,
  { user: userId }: { readonly user?: string | undefined },
): Promise<Scope> {
  if (userId === undefined) return scope
  const { own } = scope
  const visible = scope.accountIds ?? (await accountsWithKeysOf(engine, userId))
  const accountIds = visible.filter(
    (id) => own?.userId === userId || own?.accountIds.includes(id) !== true,
  )
  return { accountIds, own: { userId, accountIds } }
}

async function accountsWithKeysOf({ db }: Engine, userId: string): Promise<string[]> {
  const rows = await db
    .selectFrom('api_key')
    .select('account_id')
    .where('owner_user_id', '=', userId)
    .union(db.selectFrom('former_key_owner').select('account_id').where('user_id', '=', userId))
    .execute()
  return rows.map((row) => row.account_id)
}
