import type { Selectable } from 'kysely'
import { openInvitationEndMs } from '../../../accounts/invitation-end.ts'
import { readAccountRole, readSource } from '../../../accounts/member-store.ts'
import { isOpenIdOnly } from '../../../accounts/sign-in-ways.ts'
import type { Engine } from '../../../store/engine.ts'
import type { ConsoleUserTable } from '../../../store/tables/people-tables.ts'
import { presentSource } from '../../access/groups-decide.ts'
import type { UserRow } from '../../contract.ts'
import { ApiRefusal } from '../../refusal.ts'
import type { RouteCall } from '../../routes/route.ts'

type Db = Engine['db']
type UserRecord = Selectable<ConsoleUserTable>

export async function userOf(call: Pick<RouteCall, 'deps'>, db: Db, id: string): Promise<UserRow> {
  const rows = await db.selectFrom('console_user').selectAll().where('id', '=', id).execute()
  const [user] = await describeUsers(call, db, rows)
  if (!user) throw new ApiRefusal('not_found', 'This user does not exist.')
  return user
}

export async function describeUsers(
  { deps }: Pick<RouteCall, 'deps'>,
  db: Db,
  rows: readonly UserRecord[],
): Promise<UserRow[]> {
  const ids = rows.map((row) => row.id)
  if (ids.length === 0) return []
  const memberships = await db
    .selectFrom('membership as m')
    .innerJoin('account as a', 'a.id', 'm.account_id')
    .select(['m.user_id', 'm.role', 'm.source', 'a.id', 'a.name'])
    .where('m.user_id', 'in', ids)
    .orderBy('a.name')
    .execute()
  const passkeys = await db
    .selectFrom('passkey')
    .select('user_id')
    .where('user_id', 'in', ids)
    .execute()
  return rows.map((row) => ({
    id: row.id,
    email: row.invited_email ?? row.email,
    role: row.role === 'admin' ? 'admin' : 'member',
    proof: proofOf(row),
    source: readSource(row.source),
    invitedTo: row.invited_to,
    invitationEndsAt: openInvitationEndMs(row),
    isSuspended: row.suspended === 1,
    hasPassword: row.password_hash !== null,
    hasTotp: row.totp_sealed !== null,
    passkeys: passkeys.filter((each) => each.user_id === row.id).length,
    hasOpenId: row.open_id !== null,
    isOpenIdOnly: isOpenIdOnly(row.source, deps.openId !== undefined),
    createdAt: row.created_at,
    seenAt: row.seen_at,
    accounts: memberships
      .filter((each) => each.user_id === row.id)
      .map((each) => ({
        id: each.id,
        name: each.name,
        role: readAccountRole(each.role),
        source: presentSource(deps, readSource(each.source)),
      })),
  }))
}

function proofOf({ invited_to: invitedTo, proof }: UserRecord): UserRow['proof'] {
  if (invitedTo !== null) return null
  return proof === 'open-id' ? 'open-id' : 'operator'
}
