import type { BudgetState } from '../console-api/contract.ts'
import { formatDollars } from '../core/money/money.ts'
import { timeText } from './time-text.ts'

/** A budget as a command prints it in JSON. */
export function budgetJson({ period, limitNano, spentNano, remainingNano, resetsAt }: BudgetState) {
  return {
    period,
    limit: formatDollars(BigInt(limitNano)),
    spent: spentNano === null ? null : formatDollars(BigInt(spentNano)),
    remaining: remainingNano === null ? null : formatDollars(BigInt(remainingNano)),
    resets: timeText(resetsAt),
  }
}

/** Budgets in one cell of a table, one a line: `day 2.00/5.00, 3.00 left until 2027-01-02T00:00Z`. */
export function budgetCell(budgets: readonly BudgetState[]): readonly string[] {
  return budgets.length === 0 ? ['none'] : budgets.map(budgetText)
}

/** Resets are at whole minutes. */
function budgetText(budget: BudgetState): string {
  const { period, spent, limit, remaining, resets } = budgetJson(budget)
  if (budget.unknownZone !== undefined)
    return `${period} ${limit}, spending unknown: unknown time zone ${budget.unknownZone}`
  const until = resets === null ? '' : ` until ${resets.replace(':00.000Z', 'Z')}`
  return `${period} ${spent}/${limit}, ${remaining} left${until}`
}
