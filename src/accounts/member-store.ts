import type { Engine } from '../store/engine.ts'
import type { Writing } from '../store/write.ts'

/** What somebody may do in an account, the least first. */
export const accountRoles = ['viewer', 'member', 'owner'] as const
export type AccountRole = (typeof accountRoles)[number]

/** A word that this version does not know is the least role: it is no licence. */
export function readAccountRole(text: string): AccountRole {
  return accountRoles.find((role) => role === text) ?? 'viewer'
}

export function isRoleEnough(role: AccountRole, least: AccountRole): boolean {
  return accountRoles.indexOf(role) >= accountRoles.indexOf(least)
}

export interface Member {
  readonly userId: string
  readonly email: string
  readonly role: AccountRole
  readonly isAdmin: boolean
  readonly isSuspended: boolean
  readonly seenAtMs: number | undefined
}

const membersMax = 500

export async function listMembers(db: Engine['db'], accountId: string): Promise<Member[]> {
  const rows = await db
    .selectFrom('membership as m')
    .innerJoin('console_user as u', 'u.id', 'm.user_id')
    .select(['u.id', 'u.email', 'u.role as console_role', 'u.suspended', 'u.seen_at', 'm.role'])
    .where('m.account_id', '=', accountId)
    .orderBy('u.email')
    .limit(membersMax)
    .execute()
  return rows.map((row) => ({
    userId: row.id,
    email: row.email,
    role: readAccountRole(row.role),
    isAdmin: row.console_role === 'admin',
    isSuspended: row.suspended === 1,
    seenAtMs: row.seen_at ?? undefined,
  }))
}

export async function putMember(
  { tx }: Writing,
  member: { readonly userId: string; readonly accountId: string; readonly role: AccountRole },
): Promise<void> {
  const { userId: user_id, accountId: account_id, role } = member
  await tx
    .insertInto('membership')
    .values({ user_id, account_id, role })
    .onConflict((conflict) => conflict.columns(['user_id', 'account_id']).doUpdateSet({ role }))
    .execute()
}

/** False when there was no such member. */
export async function removeMember(
  { tx }: Writing,
  { userId, accountId }: { readonly userId: string; readonly accountId: string },
): Promise<boolean> {
  const result = await tx
    .deleteFrom('membership')
    .where('user_id', '=', userId)
    .where('account_id', '=', accountId)
    .executeTakeFirst()
  return result.numDeletedRows > 0n
}

/** The accounts of a user with the role in each. */
export async function rolesOf(
  db: Engine['db'],
  userId: string,
): Promise<ReadonlyMap<string, AccountRole>> {
  const rows = await db
    .selectFrom('membership')
    .select(['account_id', 'role'])
    .where('user_id', '=', userId)
    .orderBy('account_id')
    .execute()
  return new Map(rows.map((row) => [row.account_id, readAccountRole(row.role)]))
}
