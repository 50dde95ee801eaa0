import { sql } from 'kysely'
import { accountDefinition } from '../../../accounts/definition/account.ts'
import { listMembers } from '../../../accounts/member-store.ts'
import { settingColumns } from '../../../accounts/setting-columns.ts'
import { toWire } from '../../../fields/definition.ts'
import { listStops } from '../../../ledger/audit/audit-stops.ts'
import type { Engine } from '../../../store/engine.ts'
import { likePattern } from '../../../store/rows/like-pattern.ts'
import { valuesOf } from '../../../store/rows/stored-fields.ts'
import type { AccountRow, OperatorAccountDetail } from '../../contract.ts'
import { ApiRefusal } from '../../refusal.ts'
import type { SignedInCall } from '../../routes/route.ts'
import { describeMembers } from '../account/describe-members.ts'
import { accountFigures, describeFigures } from '../account-figures.ts'
import { describeBudgets } from '../describe-budgets.ts'
import { describeFinding } from './describe-finding.ts'

const creditsMax = 50

export function missingAccount(): ApiRefusal {
  return new ApiRefusal('not_found', 'This account does not exist.')
}

export async function accountDetailOf(
  { deps }: Pick<SignedInCall, 'deps'>,
  id: string,
): Promise<OperatorAccountDetail> {
  const { engine } = deps
  const [account] = await findAccounts(engine, { id, rowsMax: 1 })
  if (!account) throw missingAccount()
  const credits = await engine.db
    .selectFrom('credit as c')
    .selectAll('c')
    .select(sql<number>`(SELECT COUNT(*) FROM credit r WHERE r.reverses = c.id)`.as('reversals'))
    .where('c.account_id', '=', id)
    .orderBy('created_at', 'desc')
    .orderBy('id', 'desc')
    .limit(creditsMax)
    .execute()
  const stop = (await listStops(engine)).find((each) => each.accountId === id)
  return {
    ...account,
    members: await describeMembers(deps, id, await listMembers(engine.db, id)),
    credits: credits.map((row) => ({
      id: row.id,
      at: row.created_at,
      amountNano: String(row.amount_nano),
      source: row.source,
      externalId: row.external_id,
      reason: row.reason,
      isReversal: row.reverses !== null,
      isReversed: row.reversals > 0,
    })),
    findings: (stop?.findings ?? []).map(describeFinding),
  }
}

/** Sorted by id. One SQL statement for the balances, so that they belong to one moment. */
export async function findAccounts(
  engine: Engine,
  page: {
    readonly after?: string | undefined
    readonly search?: string | undefined
    readonly status?: string | undefined
    readonly id?: string
    readonly rowsMax: number
  },
): Promise<AccountRow[]> {
  let query = engine.db
    .selectFrom('account as a')
    .selectAll('a')
    .select([
      ...accountFigures,
      sql<number>`(SELECT COUNT(*) FROM membership WHERE account_id = a.id)`.as('member_count'),
      sql<number>`(SELECT COUNT(*) FROM audit_stop WHERE account_id = a.id AND released_at IS NULL)`.as(
        'stops',
      ),
    ])
    .where('a.id', '>', page.after ?? '')
  if (page.id !== undefined) query = query.where('a.id', '=', page.id)
  if (page.status !== undefined) query = query.where('a.status', '=', page.status)
  if (page.search !== undefined) {
    const pattern = likePattern(page.search)
    query = query.where(
      sql<boolean>`(lower(a.id) LIKE ${pattern} ESCAPE '!' OR lower(a.name) LIKE ${pattern} ESCAPE '!')`,
    )
  }
  const rows = await query.orderBy('a.id').limit(page.rowsMax).execute()
  const accounts = rows.map((row) => ({ row, settings: valuesOf(settingColumns, row) }))
  const budgets = await describeBudgets(
    engine,
    accounts.map(({ row: { id }, settings }) => ({
      owner: { kind: 'account', accountId: id, id },
      settings,
    })),
  )
  return accounts.map(({ row, settings }, at) => ({
    ...toWire(accountDefinition, settings),
    budgets: budgets[at] ?? [],
    createdAt: row.created_at,
    ...describeFigures(row),
    memberCount: row.member_count,
    isStopped: row.stops > 0,
  }))
}
