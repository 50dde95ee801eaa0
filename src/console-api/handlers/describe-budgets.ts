import { type BudgetLimits, isDated, type UndatedBudget } from '../../core/limits/budget.ts'
import type { Nano } from '../../core/money/money.ts'
import { readBudgetStates, type SpentBudget } from '../../ledger/budgets/read-states.ts'
import type { Engine } from '../../store/engine.ts'
import { readDatabaseMs } from '../../store/rows/database-now.ts'
import type { BudgetState } from '../contract.ts'

/** The settings of a key, a member or an account that limit spending. */
export interface BudgetSettings {
  readonly totalNano?: Nano | null
  readonly dailyNano: Nano | null
  readonly weeklyNano: Nano | null
  readonly monthlyNano: Nano | null
  readonly budgetZone: string
  readonly budgetMonthDay: number
  readonly budgetAlertPercent: number | null
}

type OwnLimits = Omit<BudgetLimits, 'marks'>
type Owned = Parameters<typeof readBudgetStates>[1][number]['owner']

/**
 * The budgets of several owners as the console shows them, in their order. The database's clock decides which period is
 * the present one, as for refusals.
 */
export async function describeBudgets(
  engine: Engine,
  owners: readonly { readonly owner: Owned; readonly settings: BudgetSettings }[],
): Promise<BudgetState[][]> {
  const limited = owners.map(({ owner, settings }) => ({ owner, limits: limitsOf(settings) }))
  if (!limited.some(({ limits }) => hasLimit(limits))) return owners.map(() => [])
  const nowMs = await readDatabaseMs(engine)
  const states = await readBudgetStates(engine, limited, nowMs)
  return states.map((own) => own.map(describeBudget))
}

function hasLimit({ totalNano, dailyNano, weeklyNano, monthlyNano }: OwnLimits): boolean {
  return [totalNano, dailyNano, weeklyNano, monthlyNano].some((limitNano) => limitNano !== null)
}

function limitsOf(settings: BudgetSettings): OwnLimits {
  return {
    totalNano: settings.totalNano ?? null,
    dailyNano: settings.dailyNano,
    weeklyNano: settings.weeklyNano,
    monthlyNano: settings.monthlyNano,
    zone: settings.budgetZone,
    monthDay: settings.budgetMonthDay,
    alertPercent: settings.budgetAlertPercent,
  }
}

function describeBudget(budget: SpentBudget | UndatedBudget): BudgetState {
  if (!isDated(budget)) {
    const { period, limitNano, unknownZone } = budget
    const unknown = { spentNano: null, remainingNano: null, resetsAt: null }
    return { period, limitNano: String(limitNano), ...unknown, unknownZone }
  }
  const { period, limitNano, spentNano, endsAtMs } = budget
  const restNano = limitNano - spentNano
  return {
    period,
    limitNano: String(limitNano),
    spentNano: String(spentNano),
    remainingNano: String(restNano < 0n ? 0n : restNano),
    resetsAt: endsAtMs,
  }
}
