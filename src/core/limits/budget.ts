import type { Nano } from '../money/money.ts'
import { type CalendarRules, hasCalendar, periodAt } from './calendar.ts'

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
  readonly marks: BudgetMarks
}

/** When limits of these kinds were set in this calendar; 0 if they apply from the beginning. */
export interface BudgetMarks {
  readonly kindsAtMs: number
  /** The same moment, if a version before migration 0038 has set the limits: part of the ids of counters. */
  readonly formerMs: number
}

export const noMarks: BudgetMarks = { kindsAtMs: 0, formerMs: 0 }

/** One limit in the period of a moment. */
export interface Budget {
  readonly period: BudgetPeriod
  readonly limitNano: Nano
  readonly alertNano: Nano | null
  readonly startsAtMs: number
  /** When the period ends and a new one begins; null for a total, which never ends. */
  readonly endsAtMs: number | null
  /** When a former version has set the limit, if that was within the period; part of the id of the counter. */
  readonly formerMs: number | null
  /**
   * When the limit was set, if something may have been spent in the period before that; null otherwise. The counter is
   * raised once for each such moment. A total is one period without an end.
   */
  readonly countedForMs: number | null
}

/** A limit whose present period cannot be determined, because this runtime does not know the time zone. */
export interface UndatedBudget {
  readonly period: BudgetPeriod
  readonly limitNano: Nano
  readonly unknownZone: string
}

export function isDated<Of extends Budget>(budget: Of | UndatedBudget): budget is Of {
  return !('unknownZone' in budget)
}

/** The clocks of processes may differ by this much from that of the database. */
const marginMs = 15 * 60_000

/** The budgets of one owner at a moment. Only a total needs no calendar. */
export function budgetsAt(limits: BudgetLimits, atMs: number): (Budget | UndatedBudget)[] {
  const budgets: (Budget | UndatedBudget)[] = []
  const { zone } = limits
  for (const period of budgetPeriods) {
    const limitNano = limits[limitName[period]]
    if (limitNano === null) continue
    if (period !== 'total' && !hasCalendar(zone)) {
      budgets.push({ period, limitNano, unknownZone: zone })
      continue
    }
    const alertNano = alertOf(limitNano, limits.alertPercent)
    budgets.push({ period, limitNano, alertNano, ...boundsOf(period, atMs, limits) })
  }
  return budgets
}

function boundsOf(
  period: BudgetPeriod,
  atMs: number,
  limits: BudgetLimits,
): Omit<Budget, 'period' | 'limitNano' | 'alertNano'> {
  const { formerMs, kindsAtMs } = limits.marks
  const setAtMs = Math.max(formerMs, kindsAtMs)
  if (period === 'total')
    return { startsAtMs: 0, endsAtMs: null, formerMs: null, countedForMs: setAtMs }
  const { startMs, endMs } = periodAt(period, atMs, limits)
  return {
    startsAtMs: startMs,
    endsAtMs: endMs,
    formerMs: formerMs > startMs && formerMs < endMs ? formerMs : null,
    countedForMs: setAtMs > startMs - marginMs ? setAtMs : null,
  }
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
