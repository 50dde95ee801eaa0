import { type BudgetOwnerKind, budgetOwnerKinds } from '../../core/limits/budget.ts'
import { type Nano, smallerOf } from '../../core/money/money.ts'
import type { BudgetCounter } from '../budgets/budget-terms.ts'
import type { HoldRefusal, Shortage, ShortBudget } from '../ledger.ts'

/** The money of one limit: free, and held by requests in flight. */
export interface CounterPart {
  readonly counter: BudgetCounter
  readonly freeNano: Nano
  readonly heldNano: Nano
}

const reasons: Readonly<Record<BudgetOwnerKind, Shortage>> = {
  key: 'key_quota_exhausted',
  member: 'member_budget_exhausted',
  account: 'account_budget_exhausted',
}

/**
 * Why budgets refuse an amount even when all requests in flight return their money; undefined when they do not. When
 * several budgets are too low, the one that resets last counts, because the request cannot pass before.
 */
export function shortBudgetOf(
  parts: readonly CounterPart[],
  amountNano: Nano,
): Pick<HoldRefusal, 'reason' | 'budget'> | undefined {
  const short = parts.filter(({ freeNano, heldNano }) => freeNano + heldNano < amountNano)
  const last = short.toSorted(
    (left, right) => endOf(right) - endOf(left) || rankOf(left) - rankOf(right),
  )[0]
  return last && { reason: reasons[last.counter.owner.kind], budget: budgetOf(last) }
}

/** The least of an amount and of what is free in each budget. */
export function leastFree(amountNano: Nano, parts: readonly CounterPart[]): Nano {
  return parts.reduce((leastNano, { freeNano }) => smallerOf(leastNano, freeNano), amountNano)
}

/** Of budgets with the same reset, that of the key is named first. */
function rankOf({ counter }: CounterPart): number {
  return budgetOwnerKinds.indexOf(counter.owner.kind)
}

function endOf({ counter }: CounterPart): number {
  return counter.endsAtMs ?? Number.MAX_SAFE_INTEGER
}

function budgetOf({ counter }: CounterPart): ShortBudget {
  const { period, limitNano, endsAtMs } = counter
  return { period, limitNano, resetsAtMs: endsAtMs }
}
