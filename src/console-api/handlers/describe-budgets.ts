import type { BudgetLimits } from '../../core/limits/budget.ts'
import type { Nano } from '../../core/money/money.ts'
import { readBudgetStates, type SpentBudget } from '../../ledger/budgets/read-states.ts'
import type { Engine } from '../../store/engine.ts'
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

type Owned = Parameters<typeof readBudgetStates>[1][number]['owner']

/** The budgets of several owners as the console shows them, in their order. */
export async function describeBudgets(
  engine: Engine,
  owners: readonly { readonly owner: Owned; readonly settings: BudgetSettings }[],
  nowMs: number,
): Promise<BudgetState[][]> {
  const limited = owners.map(({ owner, settings }) => ({ owner, limits: limitsOf(settings) }))
  const states = await readBudgetStates(engine, limited, nowMs)
  return states.map((own) => own.map(describeBudget))
}

function limitsOf(settings: BudgetSettings): Omit<BudgetLimits, 'marks'> {
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

function describeBudget({ period, limitNano, spentNano, endsAtMs }: SpentBudget): BudgetState {
  const restNano = limitNano - spentNano
  return {
    period,
    limitNano: String(limitNano),
    spentNano: String(spentNano),
    remainingNano: String(restNano < 0n ? 0n : restNano),
    resetsAt: endsAtMs,
  }
}
