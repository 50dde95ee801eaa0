import { z } from 'zod'
import { budgetPeriods } from '../../core/limits/budget.ts'
import { nanoText, timeMs } from './shapes.ts'

/** One spending limit in its present period. */
export const budgetState = z.strictObject({
  period: z.enum(budgetPeriods),
  limitNano: nanoText,
  /** Null while the gateway does not know the time zone, like the two fields below. */
  spentNano: nanoText.nullable(),
  /** Never negative: a limit may be lowered below what is spent. */
  remainingNano: nanoText.nullable(),
  /** When the period ends and the budget starts again; null for a total. */
  resetsAt: timeMs.nullable(),
  /** The time zone, if the gateway does not know it. Requests that the budget limits are refused. */
  unknownZone: z.string().exactOptional(),
})
export type BudgetState = z.infer<typeof budgetState>
