import { type Budget, type BudgetLimits, budgetsAt } from '../../core/limits/budget.ts'
import type { Nano } from '../../core/money/money.ts'
import type { Engine } from '../../store/engine.ts'
import { type BudgetOwner, counterId } from './budget-terms.ts'
import { readEarlierNano, readSpentNano } from './earlier-spending.ts'

/** A budget with what was spent of it in its present period. */
export interface SpentBudget extends Budget {
  readonly spentNano: Nano
}

type LimitedOwner = {
  readonly owner: BudgetOwner
  readonly limits: Omit<BudgetLimits, 'sinceMs'>
}

/** The budgets of several owners, in their order. */
export async function readBudgetStates(
  engine: Pick<Engine, 'db'>,
  owners: readonly LimitedOwner[],
  nowMs: number,
): Promise<SpentBudget[][]> {
  const limited = owners.filter(
    ({ limits }) => budgetsAt({ ...limits, sinceMs: 0 }, nowMs).length > 0,
  )
  if (limited.length === 0) return owners.map(() => [])
  const sinceOf = await readSince(engine, limited)
  const budgets = owners.map(({ owner, limits }) =>
    budgetsAt({ ...limits, sinceMs: sinceOf(owner) }, nowMs).map((budget) => ({
      ...budget,
      owner,
      id: counterId(owner, budget),
    })),
  )
  const rows = await engine.db
    .selectFrom('budget_counter')
    .select(['id', 'spent_nano', 'since_at'])
    .where(
      'id',
      'in',
      budgets.flat().map(({ id }) => id),
    )
    .execute()
  const known = new Map(rows.map((row) => [row.id, row]))
  const spent = new Map<string, Nano>()
  for (const budget of budgets.flat()) {
    const row = known.get(budget.id)
    // Without a row, no request was admitted since the limit was set.
    const nano = row ? readSpentNano(engine, budget, row) : readEarlierNano(engine, budget)
    spent.set(budget.id, await nano)
  }
  return budgets.map((own) =>
    own.map(({ id, owner: _owner, ...budget }) => ({ ...budget, spentNano: spent.get(id) ?? 0n })),
  )
}

/** When the limits of each owner were set. */
async function readSince(
  { db }: Pick<Engine, 'db'>,
  owners: readonly LimitedOwner[],
): Promise<(owner: BudgetOwner) => number> {
  const idsOf = (kind: BudgetOwner['kind']) =>
    owners.flatMap(({ owner }) => (owner.kind === kind ? owner.id : []))
  const since = new Map<string, number>()
  const nameOf = ({ kind, accountId, id }: BudgetOwner) => `${kind} ${accountId} ${id}`
  const keep = (kind: BudgetOwner['kind'], accountId: string, id: string, at: number) =>
    since.set(nameOf({ kind, accountId, id }), at)
  if (idsOf('key').length > 0)
    for (const row of await db
      .selectFrom('api_key')
      .select(['id', 'account_id', 'budget_since'])
      .where('id', 'in', idsOf('key'))
      .execute())
      keep('key', row.account_id, row.id, row.budget_since)
  if (idsOf('account').length > 0)
    for (const row of await db
      .selectFrom('account')
      .select(['id', 'budget_since'])
      .where('id', 'in', idsOf('account'))
      .execute())
      keep('account', row.id, row.id, row.budget_since)
  if (idsOf('member').length > 0)
    for (const row of await db
      .selectFrom('membership')
      .select(['user_id', 'account_id', 'budget_since'])
      .where('user_id', 'in', idsOf('member'))
      .execute())
      keep('member', row.account_id, row.user_id, row.budget_since)
  return (owner) => since.get(nameOf(owner)) ?? 0
}
