import { type BudgetOwnerKind, budgetOwnerKinds } from '../../core/limits/budget.ts'
import { type Nano, smallerOf } from '../../core/money/money.ts'
import type { BudgetCounter } from '../budgets/budget-terms.ts'
import type { HoldRefusal, Shortage, ShortBudget } from '../ledger.ts'

/** Money that is free, and money that requests in flight hold. */
export interface MoneyPart {
  readonly freeNano: Nano
  readonly heldNano: Nano
}

/** The money of one limit. */
export interface CounterPart extends MoneyPart {
  readonly counter: BudgetCounter
}

/** The money of an account and of a key; a key without a quota has no part of its own. */
export interface FundParts {
  readonly account: MoneyPart
  readonly key: MoneyPart | undefined
}

const reasons: Readonly<Record<BudgetOwnerKind, Shortage>> = {
  key: 'key_quota_exhausted',
  member: 'member_budget_exhausted',
  account: 'account_budget_exhausted',
}

/**
 * Why an amount is refused. The account's credit comes last: otherwise, whoever asks for more than a budget of their own
 * would learn whether the account could pay. Money that only requests in flight hold comes back soon.
 */
export function shortageOf(
  { account, key }: FundParts,
  parts: readonly CounterPart[],
  amountNano: Nano,
): HoldRefusal {
  const affordableNano = leastFree(
    key ? smallerOf(key.freeNano, account.freeNano) : account.freeNano,
    parts,
  )
  if (key && isShort(key, amountNano)) return { reason: 'key_quota_exhausted', affordableNano }
  const short = shortBudgetOf(parts, amountNano)
  if (short) return { ...short, affordableNano }
  const reason = isShort(account, amountNano) ? 'insufficient_credit' : 'quota_in_flight'
  return { reason, affordableNano }
}

function isShort({ freeNano, heldNano }: MoneyPart, amountNano: Nano): boolean {
  return freeNano + heldNano < amountNano
}

/**
 * Why budgets refuse an amount even when all requests in flight return their money; undefined when they do not. When
 * several budgets are too low, the one that resets last counts, because the request cannot pass before. No reset helps
 * against a whole budget that is too small.
 */
export function shortBudgetOf(
  parts: readonly CounterPart[],
  amountNano: Nano,
): Pick<HoldRefusal, 'reason' | 'budget'> | undefined {
  const short = parts.filter((part) => isShort(part, amountNano))
  const last = short.toSorted(
    (left, right) =>
      endOf(right, amountNano) - endOf(left, amountNano) || rankOf(left) - rankOf(right),
  )[0]
  return last && { reason: reasons[last.counter.owner.kind], budget: budgetOf(last) }
}

/** The least of an amount and of what is free in each budget. */
function leastFree(amountNano: Nano, parts: readonly CounterPart[]): Nano {
  return parts.reduce((leastNano, { freeNano }) => smallerOf(leastNano, freeNano), amountNano)
}

/** Of budgets with the same reset, that of the key is named first. */
function rankOf({ counter }: CounterPart): number {
  return budgetOwnerKinds.indexOf(counter.owner.kind)
}

/** The limit of an account may be hidden from the key, which would learn it from the amount that changes the answer. */
function endOf({ counter }: CounterPart, amountNano: Nano): number {
  const { endsAtMs, limitNano, owner } = counter
  const isTooSmall = owner.kind !== 'account' && limitNano < amountNano
  return isTooSmall ? Number.MAX_SAFE_INTEGER : (endsAtMs ?? Number.MAX_SAFE_INTEGER)
}

function budgetOf({ counter }: CounterPart): ShortBudget {
  const { period, limitNano, endsAtMs } = counter
  return { period, limitNano, resetsAtMs: endsAtMs }
}
