import type { Engine } from '../store/engine.ts'
import type { AccountRole } from './definition/member.ts'
import { effectiveRole, isRoleEnough } from './member-store.ts'
import { normalEmail } from './user-store.ts'

/** The role that a user needs to have keys of their own. */
const leastRole: AccountRole = 'member'

/**
 * The user who can own a key of the account, by email or id: a member, not a viewer. The keys of a suspended member are
 * refused until the suspension ends. An email address finds the verified login before an invited one.
 */
export async function findKeyOwner(
  db: Engine['db'],
  accountId: string,
  name: string,
): Promise<string | undefined> {
  const email = normalEmail(name)
  const rows = await db
    .selectFrom('membership as m')
    .innerJoin('console_user as u', 'u.id', 'm.user_id')
    .select(['u.id', 'm.account_id', 'm.role', 'u.invited_to'])
    .where('m.account_id', '=', accountId)
    .where((eb) =>
      eb.or([
        eb('u.id', '=', name),
        eb.and([eb('u.email', '=', email), eb('u.invited_to', 'is', null)]),
        eb('u.invited_email', '=', email),
      ]),
    )
    .execute()
  const able = rows.filter((row) => {
    const role = effectiveRole(row, row.invited_to)
    return role !== undefined && isRoleEnough(role, leastRole)
  })
  const named = able.find((row) => row.id === name)
  return (named ?? able.find((row) => row.invited_to === null) ?? able[0])?.id
}
