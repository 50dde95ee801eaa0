import type { AccountRole } from '../../accounts/definition/member.ts'
import { effectiveRole } from '../../accounts/member-store.ts'
import type { Session } from '../../accounts/session-store.ts'
import type { Engine } from '../../store/engine.ts'
import type { OwnAccount } from '../contract.ts'

const namesMax = 500

/** The accounts that a user may see, with the role in each; for a token, those in which it has a role. */
export async function visibleAccounts(
  { db }: Engine,
  session: Session,
  roles?: ReadonlyMap<string, AccountRole>,
): Promise<OwnAccount[]> {
  if (roles) {
    const rows = await db
      .selectFrom('account')
      .select(['id', 'name'])
      .where('id', 'in', [...roles.keys()])
      .orderBy('name')
      .execute()
    return rows.map((row) => ({ ...row, role: roles.get(row.id) ?? 'viewer' }))
  }
  if (session.isAdmin) {
    const rows = await db
      .selectFrom('account')
      .select(['id', 'name'])
      .orderBy('name')
      .orderBy('id')
      .limit(namesMax)
      .execute()
    return rows.map((row) => ({ ...row, role: 'owner' }))
  }
  const rows = await db
    .selectFrom('account as a')
    .innerJoin('membership as m', 'm.account_id', 'a.id')
    .select(['a.id', 'a.name', 'm.role'])
    .where('m.user_id', '=', session.userId)
    .orderBy('a.name')
    .orderBy('a.id')
    .limit(namesMax)
    .execute()
  return rows.flatMap(({ id, name, role: given }) => {
    const role = effectiveRole({ account_id: id, role: given }, session.invitedTo ?? null)
    return role === undefined ? [] : [{ id, name, role }]
  })
}
