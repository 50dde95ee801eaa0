import { type BudgetLimits, noMarks } from '../../../src/core/limits/budget.ts'
import type { BudgetRules } from '../../../src/ledger/budgets/budget-terms.ts'

export const dayMs = 86_400_000
/** Monday, 2026-09-07. */
export const mondayMs = 20_703 * dayMs

const none: BudgetLimits = {
  totalNano: null,
  dailyNano: null,
  weeklyNano: null,
  monthlyNano: null,
  zone: 'UTC',
  monthDay: 1,
  alertPercent: null,
  marks: noMarks,
}

/** The limits of the key `k`. */
export function rulesOf(limits: Partial<BudgetLimits>, version = 1): BudgetRules {
  return {
    versions: { key: version, account: 0, member: -1 },
    owners: [{ owner: { kind: 'key', accountId: 'a', id: 'k' }, limits: { ...none, ...limits } }],
  }
}
