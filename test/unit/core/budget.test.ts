import { describe, expect, test } from 'bun:test'
import { type BudgetLimits, budgetsAt, isDated, noMarks } from '../../../src/core/limits/budget.ts'

const dayMs = 86_400_000
const startMs = 20_700 * dayMs
const endMs = startMs + dayMs
const minuteMs = 60_000
const daily: BudgetLimits = {
  totalNano: null,
  dailyNano: 10n,
  weeklyNano: null,
  monthlyNano: null,
  zone: 'UTC',
  monthDay: 1,
  alertPercent: null,
  marks: noMarks,
}

const only = (limits: Partial<BudgetLimits>, atMs = startMs + 5) => {
  const [budget] = budgetsAt({ ...daily, ...limits }, atMs).filter(isDated)
  if (!budget) throw new Error('there is a limit')
  return budget
}

describe('what was spent before a limit was set', () => {
  test.each([
    ['before the period', startMs - 15 * minuteMs, null],
    ['so shortly before that clocks may differ', startMs - 15 * minuteMs + 1, 'the setting'],
    ['when the period began', startMs, 'the setting'],
    ['within the period', startMs + 4, 'the setting'],
  ])('counts if the limit was set %s', (_, kindsAtMs, expected) => {
    const { countedForMs } = only({ marks: { kindsAtMs, formerMs: 0 } })
    expect(countedForMs).toBe(expected === null ? null : kindsAtMs)
  })

  test('counts for a total whenever it was set', () => {
    const total = { totalNano: 1n, dailyNano: null }
    expect(only({ ...total, marks: { kindsAtMs: 7, formerMs: 3 } })).toMatchObject({
      countedForMs: 7,
      formerMs: null,
      startsAtMs: 0,
      endsAtMs: null,
    })
    expect(only(total).countedForMs).toBe(0)
  })

  test.each([
    ['the beginning', startMs, null],
    ['after the beginning', startMs + 1, startMs + 1],
    ['the last millisecond', endMs - 1, endMs - 1],
    ['the end', endMs, null],
  ])('a setting of a former version at %s', (_, formerMs, expected) => {
    const budget = only({ marks: { kindsAtMs: startMs - dayMs, formerMs } })
    expect([budget.formerMs, budget.countedForMs]).toEqual([expected, formerMs])
  })
})

test('only a total has a period while the time zone is unknown', () => {
  const all = { totalNano: 1n, dailyNano: 2n, weeklyNano: 3n, monthlyNano: 4n }
  const unknownZone = 'Mars/Olympus'
  const [total, ...others] = budgetsAt({ ...daily, ...all, zone: unknownZone }, startMs)
  expect(total).toMatchObject({ period: 'total', limitNano: 1n, endsAtMs: null })
  expect(others).toEqual([
    { period: 'day', limitNano: 2n, unknownZone },
    { period: 'week', limitNano: 3n, unknownZone },
    { period: 'month', limitNano: 4n, unknownZone },
  ])
  expect(budgetsAt({ ...daily, dailyNano: null, zone: unknownZone }, startMs)).toEqual([])
})

test.each([
  [null, 10n, null],
  [80, 10n, 8n],
  [80, 11n, 9n],
  [1, 1n, 1n],
  [100, 10n, 10n],
  [50, 0n, 0n],
])('an alert at %p percent of %p is due at %p', (alertPercent, dailyNano, expected) => {
  expect(only({ alertPercent, dailyNano }).alertNano).toBe(expected)
})
