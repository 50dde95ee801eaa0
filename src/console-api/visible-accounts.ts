import type { Session } from '../accounts/session-store.ts'
import type { Engine } from '../store/engine.ts'
import type { AccountName } from './contract.ts'

const namesMax = 500

/** The accounts a user may see; undefined means all of them. */
export async function visibleAccountIds(
  engine: Engine,
  session: Session,
): Promise<readonly string[] | undefined> {
  if (session.isAdmin) return undefined
  const rows = await engine.db
    .selectFrom('membership')
    .select('account_id')
    .where('user_id', '=', session.userId)
    .orderBy('account_id')
    .execute()
  return rows.map((row) => row.account_id)
}

export async function visibleAccountNames(
  engine: Engine,
  session: Session,
): Promise<AccountName[]> {
  const query = engine.db.selectFrom('account').select(['account.id', 'account.name'])
  const visible = session.isAdmin
    ? query
    : query
        .innerJoin('membership', 'membership.account_id', 'account.id')
        .where('membership.user_id', '=', session.userId)
  return visible.orderBy('account.name').orderBy('account.id').limit(namesMax).execute()
}
