import type { Selectable } from 'kysely'
import { systemRandom } from '../../core/id.ts'
import type { Nano } from '../../core/money/money.ts'
import type { BudgetColumns, TotalColumn } from '../tables/budget-tables.ts'
import { asIs } from './stored-fields.ts'

/** The columns of the limits by period; see `periodFields` of the definitions. */
export const periodColumns = {
  dailyNano: asIs<Nano | null, 'daily_nano'>('daily_nano'),
  weeklyNano: asIs<Nano | null, 'weekly_nano'>('weekly_nano'),
  monthlyNano: asIs<Nano | null, 'monthly_nano'>('monthly_nano'),
  budgetZone: asIs<string, 'budget_zone'>('budget_zone'),
  budgetMonthDay: asIs<number, 'budget_month_day'>('budget_month_day'),
  budgetAlertPercent: asIs<number | null, 'budget_alert_percent'>('budget_alert_percent'),
}

export const totalColumn = { totalNano: asIs<Nano | null, 'total_nano'>('total_nano') }

type BudgetRow = Omit<Selectable<BudgetColumns>, 'budget_since'> & Partial<Selectable<TotalColumn>>

const columns = [
  'total_nano',
  'daily_nano',
  'weekly_nano',
  'monthly_nano',
  'budget_zone',
  'budget_month_day',
  'budget_alert_percent',
] as const satisfies readonly (keyof BudgetRow)[]

const limits = ['total_nano', 'daily_nano', 'weekly_nano', 'monthly_nano'] as const
const calendar = ['budget_zone', 'budget_month_day'] as const

/** The columns to read before a change of limits. */
export const budgetColumns = [...columns.slice(1), 'budget_version', 'budget_kinds_at'] as Exclude<
  (typeof columns)[number] | keyof BudgetMarks,
  'total_nano'
>[]

interface BudgetMarks {
  readonly budget_version: number
  readonly budget_kinds_at: number
}

/** The version after a change tells processes that hold money under the former limits to read the limits again. */
export function budgetMarksAfter(
  before: BudgetRow,
  change: Partial<BudgetRow>,
  nowMs: number,
): BudgetMarks {
  const isChanged = (name: (typeof columns)[number]) =>
    change[name] !== undefined && change[name] !== before[name]
  return {
    budget_version: columns.some(isChanged) ? newVersion() : before.budget_version,
    budget_kinds_at:
      limits.some((name) => isChanged(name) && !isLimit(before[name])) || calendar.some(isChanged)
        ? nowMs
        : before.budget_kinds_at,
  }
}

/** The version of a new owner: 0 while nothing is limited. */
export function firstBudgetVersion(row: Partial<BudgetRow>): number {
  return hasBudget(row) ? newVersion() : 0
}

/** A member may have been one before, and have spent something in the present periods. */
export function firstMarksOfMember(row: Partial<BudgetRow>, nowMs: number): BudgetMarks {
  return { budget_version: firstBudgetVersion(row), budget_kinds_at: hasBudget(row) ? nowMs : 0 }
}

export function hasBudget(row: Partial<BudgetRow>): boolean {
  return limits.some((name) => isLimit(row[name]))
}

function isLimit(nano: Nano | null | undefined): boolean {
  return nano !== undefined && nano !== null
}

const versionBytes = 6

/**
 * Random, because a member who was removed may come back: a number that counts the changes would then name two
 * different sets of limits.
 */
function newVersion(): number {
  let version = 0
  for (const byte of systemRandom(versionBytes)) version = version * 256 + byte
  return version + 1
}
