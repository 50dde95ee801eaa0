import type { Nano } from '../money/money.ts'
import { type CalendarRules, periodAt } from './calendar.ts'

export const budgetOwnerKinds = ['key', 'member', 'account'] as const
export type BudgetOwnerKind = (typeof budgetOwnerKinds)[number]

export const budgetPeriods = ['total', 'day', 'week', 'month'] as const
export type BudgetPeriod = (typeof budgetPeriods)[number]

/** The spending limits of one owner. Null: no limit. */
export interface BudgetLimits extends CalendarRules {
  readonly totalNano: Nano | null
  readonly dailyNano: Nano | null
  readonly weeklyNano: Nano | null
  readonly monthlyNano: Nano | null
  /** An alert is due when this share of a limit is spent. */
  readonly alertPercent: number | null
  /** When limits of these kinds were set in this calendar; 0 if they apply from the beginning. */
  readonly sinceMs: number
}

/** One limit in the period of a moment. */
export interface Budget {
  readonly period: BudgetPeriod
  readonly limitNano: Nano
  readonly alertNano: Nano | null
  readonly startsAtMs: number
  /** When the period ends and a new one begins; null for a total, which never ends. */
  readonly endsAtMs: number | null
  /** When the limit was set, if that was within the period; null otherwise. A total is one period without an end. */
  readonly sinceMs: number | null
}

/** The budgets of one owner at a moment. */
export function budgetsAt(limits: BudgetLimits, atMs: number): Budget[] {
  const budgets: Budget[] = []
  for (const period of budgetPeriods) {
    const limitNano = limits[limitName[period]]
    if (limitNano === null) continue
    const alertNano = alertOf(limitNano, limits.alertPercent)
    if (period === 'total') {
      const bounds = { startsAtMs: 0, endsAtMs: null, sinceMs: limits.sinceMs }
      budgets.push({ period, limitNano, alertNano, ...bounds })
    } else {
      const { startMs, endMs } = periodAt(period, atMs, limits)
      const isWithin = limits.sinceMs > startMs && limits.sinceMs < endMs
      const sinceMs = isWithin ? limits.sinceMs : null
      const bounds = { startsAtMs: startMs, endsAtMs: endMs, sinceMs }
      budgets.push({ period, limitNano, alertNano, ...bounds })
    }
  }
  return budgets
}

const limitName = {
  total: 'totalNano',
  day: 'dailyNano',
  week: 'weeklyNano',
  month: 'monthlyNano',
} as const satisfies Record<BudgetPeriod, keyof BudgetLimits>

/** Rounded up, so that an alert never comes early. */
function alertOf(limitNano: Nano, percent: number | null): Nano | null {
  return percent === null ? null : (limitNano * BigInt(percent) + 99n) / 100n
}
