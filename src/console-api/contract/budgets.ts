import { z } from 'zod'
import { budgetPeriods } from '../../core/limits/budget.ts'
import { nanoText, timeMs } from './shapes.ts'

/** One spending limit in its present period. */
export const budgetState = z.strictObject({
  period: z.enum(budgetPeriods),
  limitNano: nanoText,
  spentNano: nanoText,
  /** Never negative: a limit may be lowered below what is spent. */
  remainingNano: nanoText,
  /** When the period ends and the budget starts again; null for a total. */
  resetsAt: timeMs.nullable(),
})
export type BudgetState = z.infer<typeof budgetState>
