import type { Engine } from '../store/engine.ts'
import type { Writing } from '../store/write.ts'
import { type AccountRole, accountRoles } from './definition/member.ts'

/** A role that this version does not know becomes the role with the least rights. */
export function readAccountRole(text: string): AccountRole {
  return accountRoles.find((role) => role === text) ?? 'viewer'
}

export function isRoleEnough(role: AccountRole, least: AccountRole): boolean {
  return accountRoles.indexOf(role) >= accountRoles.indexOf(least)
}

/**
 * The role that a membership really grants. A login whose address is not proven acts only in the account that invited
 * it, and never as an owner, whatever its memberships say.
 */
export function effectiveRole(
  membership: { readonly account_id: string; readonly role: string },
  invitedTo: string | null,
): AccountRole | undefined {
  const role = readAccountRole(membership.role)
  if (invitedTo === null) return role
  if (invitedTo !== membership.account_id) return undefined
  return isRoleEnough(role, 'member') ? 'member' : role
}

export interface Member {
  readonly userId: string
  readonly email: string
  /** The stored role; `effectiveRole` gives the rights while the address is not proven. */
  readonly role: AccountRole
  readonly isProven: boolean
  readonly invitedTo: string | undefined
  readonly isAdmin: boolean
  readonly isSuspended: boolean
  readonly seenAtMs: number | undefined
}

export const membersMax = 500

export async function listMembers(db: Engine['db'], accountId: string): Promise<Member[]> {
  const rows = await db
    .selectFrom('membership as m')
    .innerJoin('console_user as u', 'u.id', 'm.user_id')
    .select(['u.id', 'u.email', 'u.role as console_role', 'u.suspended', 'u.seen_at', 'm.role'])
    .select(['u.invited_email', 'u.invited_to'])
    .where('m.account_id', '=', accountId)
    .orderBy('u.email')
    .limit(membersMax)
    .execute()
  return rows.map((row) => ({
    userId: row.id,
    email: row.invited_email ?? row.email,
    role: readAccountRole(row.role),
    isProven: row.invited_to === null,
    invitedTo: row.invited_to ?? undefined,
    isAdmin: row.console_role === 'admin' && row.invited_to === null,
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

/** Replaces all memberships of a user with these. */
export async function putMembershipsOf(
  writing: Writing,
  userId: string,
  memberships: readonly { readonly accountId: string; readonly role: AccountRole }[],
): Promise<void> {
  await writing.tx.deleteFrom('membership').where('user_id', '=', userId).execute()
  for (const each of memberships) await putMember(writing, { userId, ...each })
}

/** Returns false when there was no such member. */
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

/** The accounts in which a user may act, with the effective role in each. */
export async function rolesOf(
  db: Engine['db'],
  userId: string,
): Promise<ReadonlyMap<string, AccountRole>> {
  const rows = await db
    .selectFrom('membership as m')
    .innerJoin('console_user as u', 'u.id', 'm.user_id')
    .select(['m.account_id', 'm.role', 'u.invited_to'])
    .where('m.user_id', '=', userId)
    .orderBy('m.account_id')
    .execute()
  return new Map(
    rows.flatMap((row) => {
      const role = effectiveRole(row, row.invited_to)
      return role === undefined ? [] : [[row.account_id, role] as const]
    }),
  )
}
