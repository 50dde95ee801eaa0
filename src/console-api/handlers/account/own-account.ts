import type { Selectable } from 'kysely'
import { changeAccount } from '../../../accounts/account-store.ts'
import { listMembers, rolesOf } from '../../../accounts/member-store.ts'
import { settingColumns } from '../../../accounts/setting-columns.ts'
import type { Engine } from '../../../store/engine.ts'
import { valuesOf } from '../../../store/rows/stored-fields.ts'
import type { AccountTable } from '../../../store/tables/tables.ts'
import { change } from '../../changes/change.ts'
import type { AccountDetail, BudgetState } from '../../contract.ts'
import { ApiRefusal } from '../../refusal.ts'
import type { CallOf, JsonAnswer, SignedInCall } from '../../routes/route.ts'
import { describeBudgets } from '../describe-budgets.ts'
import { describeMembers } from './describe-members.ts'

export async function readAccount(call: SignedInCall): Promise<JsonAnswer<AccountDetail>> {
  const { deps, id, session } = call
  const { db } = deps.engine
  const row = await db.selectFrom('account').selectAll().where('id', '=', id).executeTakeFirst()
  if (!row) throw new ApiRefusal('not_found', 'This account does not exist.')
  const roles = call.roles ?? (await rolesOf(db, session.userId))
  const yourRole = session.isAdmin ? 'owner' : (roles.get(id) ?? 'viewer')
  const isOwner = yourRole === 'owner'
  return {
    body: {
      id,
      name: row.name,
      yourRole,
      isSuspended: row.status !== 'active',
      endsAt: row.ends_at,
      // Others' spending would follow from the balance and from the budgets.
      availableNano: isOwner ? String(row.available_nano) : null,
      budgets: isOwner ? await budgetsOf(deps.engine, row) : [],
      createdAt: row.created_at,
      members: await describeMembers(
        deps,
        id,
        await listMembers(db, id),
        (userId) => isOwner || userId === session.userId,
      ),
    },
  }
}

async function budgetsOf(engine: Engine, row: Selectable<AccountTable>): Promise<BudgetState[]> {
  const owner = { kind: 'account', accountId: row.id, id: row.id } as const
  const settings = valuesOf(settingColumns, row)
  const [budgets = []] = await describeBudgets(engine, [{ owner, settings }])
  return budgets
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
