import { expect, test } from 'bun:test'
import type { BudgetOwnerKind, BudgetPeriod } from '../../../src/core/limits/budget.ts'
import { shortageOf, shortBudgetOf } from '../../../src/ledger/leases/short-budget.ts'

const ends = { day: 1_000, week: 2_000, month: 3_000, total: null }

function part(name: `${BudgetOwnerKind} ${BudgetPeriod}`, freeNano = 0n, heldNano = 0n) {
  const [kind, period] = name.split(' ') as [BudgetOwnerKind, BudgetPeriod]
  const owner = { kind, accountId: 'acme', id: kind }
  const bounds = { startsAtMs: 0, endsAtMs: ends[period], formerMs: null, countedForMs: null }
  const counter = { id: name, owner, period, limitNano: 10n, alertNano: null, ...bounds }
  return { counter, freeNano, heldNano }
}

/** A request of 5 is refused, and may pass when the budget that is named resets, not before. */
test.each([
  [[part('key day')], 'key_quota_exhausted', 'day'],
  [[part('key day'), part('key month'), part('key week')], 'key_quota_exhausted', 'month'],
  [[part('key day'), part('member month')], 'member_budget_exhausted', 'month'],
  [
    [part('key week'), part('member day'), part('account total')],
    'account_budget_exhausted',
    'total',
  ],
  [[part('member day', 4n), part('account day')], 'member_budget_exhausted', 'day'],
  [[part('account day'), part('member day'), part('key day')], 'key_quota_exhausted', 'day'],
  [[part('key day'), part('member month', 5n)], 'key_quota_exhausted', 'day'],
  [[part('key day'), part('account month', 1n, 4n)], 'key_quota_exhausted', 'day'],
] as const)('the budget that resets last is named: %#', (parts, reason, period) => {
  expect(shortBudgetOf(parts, 5n)).toMatchObject({
    reason,
    budget: { period, resetsAtMs: ends[period] },
  })
})

test('a whole budget that is too small is named, because no reset helps; that of an account is not told apart', () => {
  const small = (name: Parameters<typeof part>[0]) => {
    const { counter, ...money } = part(name)
    return { counter: { ...counter, limitNano: 4n }, ...money }
  }
  const named = (...parts: Parameters<typeof shortBudgetOf>[0]): string => {
    const { reason, budget } = shortBudgetOf(parts, 5n) ?? {}
    return `${reason}, ${budget?.period}, ${budget?.resetsAtMs}`
  }
  const ofKey = `key_quota_exhausted, day, ${ends.day}`
  expect(named(part('account month'), small('key day'))).toBe(ofKey)
  expect(named(part('account total'), small('key day'))).toBe(ofKey)
  const ofMember = `member_budget_exhausted, day, ${ends.day}`
  expect(named(part('key month'), small('member day'))).toBe(ofMember)
  const ofMonth = `key_quota_exhausted, month, ${ends.month}`
  expect(named(part('key month'), small('account day'))).toBe(ofMonth)
})

test('budgets that have enough, or whose money is only held, are not short', () => {
  expect(shortBudgetOf([part('key day', 5n), part('member day', 0n, 5n)], 5n)).toBeUndefined()
})

const plenty = { freeNano: 100n, heldNano: 0n }
const none = { freeNano: 0n, heldNano: 0n }

test.each([
  ['only the day', plenty, undefined, [part('key day')], 'key_quota_exhausted', ends.day],
  ['the day and the credit', none, undefined, [part('key day')], 'key_quota_exhausted', ends.day],
  ['the day and the quota', plenty, none, [part('member day')], 'key_quota_exhausted', undefined],
  ['all of them', none, none, [part('account total')], 'key_quota_exhausted', undefined],
  ['only the credit', none, plenty, [part('key day', 5n)], 'insufficient_credit', undefined],
  [
    'nothing but money in flight',
    { freeNano: 0n, heldNano: 5n },
    undefined,
    [part('key day', 0n, 5n)],
    'quota_in_flight',
    undefined,
  ],
] as const)(
  'the quota comes first, the credit last: %s',
  (_name, account, key, parts, reason, resetsAtMs) => {
    const refusal = shortageOf({ account, key }, parts, 5n)
    expect(refusal.reason).toBe(reason)
    expect(refusal.budget?.resetsAtMs).toBe(resetsAtMs)
  },
)

test('the affordable amount is what the tightest of all has free', () => {
  const parts = [part('key day', 4n), part('member month', 3n)]
  expect(shortageOf({ account: plenty, key: plenty }, parts, 5n).affordableNano).toBe(3n)
  const low = { freeNano: 2n, heldNano: 9n }
  expect(shortageOf({ account: plenty, key: low }, parts, 5n).affordableNano).toBe(2n)
  expect(shortageOf({ account: low, key: undefined }, parts, 5n).affordableNano).toBe(2n)
})
