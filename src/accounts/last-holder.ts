import type { Engine } from '../store/engine.ts'

/** Administrators who can sign in: verified, and not suspended. */
function activeAdmins(db: Engine['db']) {
  return db
    .selectFrom('console_user')
    .select(['id', 'email'])
    .where('role', '=', 'admin')
    .where('invited_to', 'is', null)
    .where('suspended', '=', 0)
}

/** The oldest administrator who can sign in. */
export async function firstAdmin(
  db: Engine['db'],
): Promise<{ readonly id: string; readonly email: string } | undefined> {
  return activeAdmins(db).orderBy('created_at').orderBy('id').limit(1).executeTakeFirst()
}

/** What the gateway or an account would lose together with a user. */
export interface SoleRoles {
  /** Whether the user is the only administrator who can sign in. */
  readonly isAdmin: boolean
  /** The accounts that have no other owner who can sign in, also while the user is suspended. */
  readonly accountIds: readonly string[]
  readonly isSuspended: boolean
}

/** The accounts that have an owner who can sign in. */
export async function ownedAccounts(db: Engine['db']): Promise<ReadonlySet<string>> {
  const rows = await db
    .selectFrom('membership as m')
    .innerJoin('console_user as u', 'u.id', 'm.user_id')
    .select('m.account_id')
    .distinct()
    .where('m.role', '=', 'owner')
    .where('u.invited_to', 'is', null)
    .where('u.suspended', '=', 0)
    .execute()
  return new Set(rows.map((row) => row.account_id))
}

export async function soleRolesOf(db: Engine['db'], userId: string): Promise<SoleRoles> {
  const admins = await activeAdmins(db).limit(2).execute()
  const rows = await db
    .selectFrom('membership as m')
    .innerJoin('console_user as u', 'u.id', 'm.user_id')
    .select(['m.account_id', 'u.suspended'])
    .where('m.user_id', '=', userId)
    .where('m.role', '=', 'owner')
    .where('u.invited_to', 'is', null)
    .where(({ exists, not, selectFrom }) =>
      not(
        exists(
          selectFrom('membership as o')
            .innerJoin('console_user as other', 'other.id', 'o.user_id')
            .select('o.user_id')
            .whereRef('o.account_id', '=', 'm.account_id')
            .where('o.user_id', '<>', userId)
            .where('o.role', '=', 'owner')
            .where('other.invited_to', 'is', null)
            .where('other.suspended', '=', 0),
        ),
      ),
    )
    .orderBy('m.account_id')
    .execute()
  return {
    isAdmin: admins.length === 1 && admins[0]?.id === userId,
    accountIds: rows.map((row) => row.account_id),
    isSuspended: rows.some((row) => row.suspended === 1),
  }
}
