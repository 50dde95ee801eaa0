import { changeAccount } from '../../../accounts/account-store.ts'
import { listMembers, rolesOf } from '../../../accounts/member-store.ts'
import { change } from '../../change.ts'
import type { AccountDetail } from '../../contract.ts'
import { ApiRefusal } from '../../refusal.ts'
import type { CallOf, JsonAnswer, SignedInCall } from '../../route.ts'
import { describeMember } from './members.ts'

export async function readAccount(call: SignedInCall): Promise<JsonAnswer<AccountDetail>> {
  const { deps, id, session } = call
  const { db } = deps.engine
  const row = await db.selectFrom('account').selectAll().where('id', '=', id).executeTakeFirst()
  if (!row) throw new ApiRefusal('not_found', 'This account does not exist.')
  const roles = call.roles ?? (await rolesOf(db, session.userId))
  const members = await listMembers(db, id)
  const yourRole = session.isAdmin ? 'owner' : (roles.get(id) ?? 'viewer')
  return {
    body: {
      id,
      name: row.name,
      yourRole,
      isSuspended: row.status !== 'active',
      endsAt: row.ends_at,
      // Others' spending would follow from the balance.
      availableNano: yourRole === 'owner' ? String(row.available_nano) : null,
      createdAt: row.created_at,
      members: members.map(describeMember),
    },
  }
}

export async function renameAccount(
  call: CallOf<'PATCH /accounts/{id}'>,
): Promise<JsonAnswer<AccountDetail>> {
  const { id } = call
  const edit = await call.body()
  await change(call, async (changing) => {
    const before = await changing.tx
      .selectFrom('account')
      .select('name')
      .where('id', '=', id)
      .executeTakeFirst()
    await changeAccount(changing, id, edit)
    await changing.record({ action: 'account.renamed', subject: id, before, after: edit })
  })
  return readAccount(call)
}
