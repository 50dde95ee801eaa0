import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { type BudgetLimits, noMarks } from '../../../src/core/limits/budget.ts'
import { type BudgetRules, BudgetTerms } from '../../../src/ledger/budgets/budget-terms.ts'

const dayMs = 86_400_000
const startMs = 20_700 * dayMs
const limits: BudgetLimits = {
  totalNano: null,
  dailyNano: 10n,
  weeklyNano: null,
  monthlyNano: null,
  zone: 'UTC',
  monthDay: 1,
  alertPercent: null,
  marks: noMarks,
}
const rules: BudgetRules = {
  versions: { key: 1, account: 0, member: -1 },
  owners: [{ owner: { kind: 'key', accountId: 'acme', id: 'k' }, limits }],
}

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
