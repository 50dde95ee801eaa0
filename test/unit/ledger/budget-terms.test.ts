import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import type { Budget } from '../../../src/core/limits/budget.ts'
import { BudgetTerms, counterId, isSameVersion } from '../../../src/ledger/budgets/budget-terms.ts'
import { dayMs, mondayMs, rulesOf } from './budget-limits.ts'

const startMs = mondayMs
const rules = rulesOf({ dailyNano: 10n })

describe('the time until which a process admits requests under the terms of a period', () => {
  test('is never after the end of the period, however long the query takes', () => {
    const wait = fc.integer({ min: 0, max: 60_000 })
    const start = fc.integer({ min: 0, max: dayMs - 1 })
    fc.assert(
      fc.property(start, wait, fc.integer(), (asked, there, ownMs) => {
        const terms = new BudgetTerms(rules, startMs + asked)
        // The true time, by the clock of the database, at which the process sends the query.
        const askedAtMs = startMs + asked
        terms.measure(ownMs, askedAtMs + there)
        const ownEndMs = ownMs + (terms.endsAtMs - askedAtMs)
        expect(terms.admitUntilMs).toBeLessThanOrEqual(ownEndMs)
        expect(terms.admitUntilMs).toBe(ownEndMs - there)
      }),
    )
  })

  test('is unset before the first answer of the database', () => {
    expect(new BudgetTerms(rules, startMs).admitUntilMs).toBe(Number.NEGATIVE_INFINITY)
  })
})

describe('the name of a counter', () => {
  const budget: Budget = {
    period: 'day',
    limitNano: 10n,
    alertNano: null,
    startsAtMs: 1,
    endsAtMs: 2,
    formerMs: null,
    countedForMs: null,
  }
  const member = { kind: 'member', accountId: 'a', id: 'u' } as const

  test.each([
    [{ kind: 'key', accountId: 'a', id: 'k' }, {}, 'key k day 1 2'],
    [member, {}, 'member a u day 1 2'],
    [{ ...member, accountId: 'b' }, {}, 'member b u day 1 2'],
    [{ kind: 'account', accountId: 'a', id: 'a' }, { period: 'week' }, 'account a week 1 2'],
    [member, { endsAtMs: 3 }, 'member a u day 1 3'],
    [member, { formerMs: 7 }, 'member a u day 1 2 7'],
    [member, { period: 'total', startsAtMs: 0, endsAtMs: null }, 'member a u total'],
    [member, { limitNano: 20n, alertNano: 5n, countedForMs: 9 }, 'member a u day 1 2'],
  ] as const)('is made of owner, kind and period only: %#', (owner, change, expected) => {
    expect(counterId(owner, { ...budget, ...change })).toBe(expected)
  })

  test('gives the same set, whatever the order of the owners', () => {
    const { versions, owners } = rulesOf({ dailyNano: 10n, totalNano: 20n })
    const other = owners.map(({ limits }) => ({ owner: member, limits }))
    const [one, two] = [
      [...owners, ...other],
      [...other, ...owners],
    ].map((all) => new BudgetTerms({ versions, owners: all }, mondayMs).setId)
    expect(one).toBe(two ?? '')
    expect(one).not.toBe(new BudgetTerms({ versions, owners }, mondayMs).setId)
    expect(new BudgetTerms(rulesOf({}), mondayMs).setId).toBe('')
  })
})

test.each([
  [{}, true],
  [{ key: 2 }, false],
  [{ account: 2 }, false],
  [{ member: 2 }, false],
])('limits are the same in the same versions of key, account and member: %p', (change, isSame) => {
  const versions = { key: 1, account: 1, member: 1 }
  expect(isSameVersion(versions, { ...versions, ...change })).toBe(isSame)
})
