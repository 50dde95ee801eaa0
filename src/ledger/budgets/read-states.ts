import {
  type Budget,
  type BudgetLimits,
  type BudgetMarks,
  budgetsAt,
  isDated,
  noMarks,
  type UndatedBudget,
} from '../../core/limits/budget.ts'
import type { Nano } from '../../core/money/money.ts'
import type { Engine } from '../../store/engine.ts'
import { type BudgetOwner, counterId } from './budget-terms.ts'
import { readSpentNano } from './raise-counter.ts'

/** A budget with what was spent of it in its present period. */
export interface SpentBudget extends Budget {
  readonly spentNano: Nano
}

type LimitedOwner = {
  readonly owner: BudgetOwner
  readonly limits: Omit<BudgetLimits, 'marks'>
}

/** The budgets of several owners, in their order. */
export async function readBudgetStates(
  engine: Pick<Engine, 'db'>,
  owners: readonly LimitedOwner[],
  nowMs: number,
): Promise<(SpentBudget | UndatedBudget)[][]> {
  const limited = owners.filter(
    ({ limits }) => budgetsAt({ ...limits, marks: noMarks }, nowMs).length > 0,
  )
  if (limited.length === 0) return owners.map(() => [])
  const marksOf = await readMarks(engine, limited)
  const budgets = owners.map(({ owner, limits }) =>
    budgetsAt({ ...limits, marks: marksOf(owner) }, nowMs).map((budget) =>
      isDated(budget) ? { ...budget, owner, id: counterId(owner, budget) } : budget,
    ),
  )
  const dated = budgets.flat().filter(isDated)
  const known = await readSpent(
    engine,
    dated.map(({ id }) => id),
  )
  const spent = new Map<string, Nano>()
  for (const budget of dated) {
    spent.set(budget.id, await readSpentNano(engine, budget, known.get(budget.id)))
  }
  return budgets.map((own) =>
    own.map((each) => {
      if (!isDated(each)) return each
      const { id, owner: _owner, ...budget } = each
      return { ...budget, spentNano: spent.get(id) ?? 0n }
    }),
  )
}

async function readSpent({ db }: Pick<Engine, 'db'>, ids: readonly string[]) {
  if (ids.length === 0) return new Map<string, never>()
  const rows = await db
    .selectFrom('budget_counter')
    .select(['id', 'spent_nano', 'counted_for'])
    .where('id', 'in', ids)
    .execute()
  return new Map(rows.map((row) => [row.id, row]))
}

/** When the limits of each owner were set. */
async function readMarks(
  { db }: Pick<Engine, 'db'>,
  owners: readonly LimitedOwner[],
): Promise<(owner: BudgetOwner) => BudgetMarks> {
  const idsOf = (kind: BudgetOwner['kind']) =>
    owners.flatMap(({ owner }) => (owner.kind === kind ? owner.id : []))
  const marks = new Map<string, BudgetMarks>()
  const nameOf = ({ kind, accountId, id }: BudgetOwner) => `${kind} ${accountId} ${id}`
  const keep = (owner: BudgetOwner, row: { budget_since: number; budget_kinds_at: number }) =>
    marks.set(nameOf(owner), { formerMs: row.budget_since, kindsAtMs: row.budget_kinds_at })
  if (idsOf('key').length > 0)
    for (const row of await db
      .selectFrom('api_key')
      .select(['id', 'account_id', 'budget_since', 'budget_kinds_at'])
      .where('id', 'in', idsOf('key'))
      .execute())
      keep({ kind: 'key', accountId: row.account_id, id: row.id }, row)
  if (idsOf('account').length > 0)
    for (const row of await db
      .selectFrom('account')
      .select(['id', 'budget_since', 'budget_kinds_at'])
      .where('id', 'in', idsOf('account'))
      .execute())
      keep({ kind: 'account', accountId: row.id, id: row.id }, row)
  if (idsOf('member').length > 0)
    for (const row of await db
      .selectFrom('membership')
      .select(['user_id', 'account_id', 'budget_since', 'budget_kinds_at'])
      .where('user_id', 'in', idsOf('member'))
      .execute())
      keep({ kind: 'member', accountId: row.account_id, id: row.user_id }, row)
  return (owner) => marks.get(nameOf(owner)) ?? noMarks
}
