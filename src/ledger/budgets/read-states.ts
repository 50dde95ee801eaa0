import { type Budget, type BudgetLimits, budgetsAt } from '../../core/budget.ts'
import type { Nano } from '../../core/money.ts'
import type { Engine } from '../../store/engine.ts'
import { type BudgetOwner, counterId } from './budget-terms.ts'

/** A budget with what was spent of it in its present period. */
export interface SpentBudget extends Budget {
  readonly spentNano: Nano
}

/** The budgets of several owners, in their order. */
export async function readBudgetStates(
  { db }: Pick<Engine, 'db'>,
  owners: readonly { readonly owner: BudgetOwner; readonly limits: BudgetLimits }[],
  nowMs: number,
): Promise<SpentBudget[][]> {
  const budgets = owners.map(({ owner, limits }) =>
    budgetsAt(limits, nowMs).map((budget) => ({ budget, id: counterId(owner, budget) })),
  )
  const ids = budgets.flat().map(({ id }) => id)
  if (ids.length === 0) return owners.map(() => [])
  const rows = await db
    .selectFrom('budget_counter')
    .select(['id', 'spent_nano'])
    .where('id', 'in', ids)
    .execute()
  const spent = new Map(rows.map((row) => [row.id, row.spent_nano]))
  return budgets.map((own) =>
    own.map(({ budget, id }) => ({ ...budget, spentNano: spent.get(id) ?? 0n })),
  )
}
