import type { BudgetState } from '../console-api/contract.ts'
import { formatDollars } from '../core/money/money.ts'
import { timeText } from './time-text.ts'

/** A budget as a command prints it in JSON. */
export function budgetJson({ period, limitNano, spentNano, remainingNano, resetsAt }: BudgetState) {
  return {
    period,
    limit: formatDollars(BigInt(limitNano)),
    spent: formatDollars(BigInt(spentNano)),
    remaining: formatDollars(BigInt(remainingNano)),
    resets: timeText(resetsAt),
  }
}

/** Budgets in one cell of a table: `day 2.00/5.00, month 2.00/100.00`. */
export function budgetCell(budgets: readonly BudgetState[]): string {
  const each = budgets
    .map(budgetJson)
    .map(({ period, limit, spent }) => `${period} ${spent}/${limit}`)
  return each.length === 0 ? 'none' : each.join(', ')
}
