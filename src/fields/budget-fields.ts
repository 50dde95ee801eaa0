import { optional } from './definition.ts'
import { orNull } from './kind.ts'
import { moneyKind, monthDayKind, percentKind, zoneKind } from './kinds.ts'

/** The spending limits by period, and their calendar. `options` say who may change them. */
export function periodFields<
  const Options extends { readonly by: 'member' | 'owner' | 'operator'; readonly absent?: 'keep' },
>(options: Options) {
  return {
    dailyNano: optional(orNull(moneyKind), null, {
      file: 'daily',
      about: 'Spending limit for each day; none by default.',
      ...options,
    }),
    weeklyNano: optional(orNull(moneyKind), null, {
      file: 'weekly',
      about: 'Spending limit for each week, Monday to Sunday; none by default.',
      ...options,
    }),
    monthlyNano: optional(orNull(moneyKind), null, {
      file: 'monthly',
      about: 'Spending limit for each month; none by default.',
      ...options,
    }),
    budgetZone: optional(zoneKind, 'UTC', {
      about: 'Time zone in which days, weeks and months begin.',
      ...options,
    }),
    budgetMonthDay: optional(monthDayKind, 1, {
      about: 'Day on which a month begins; a month without this day begins on its last day.',
      ...options,
    }),
    budgetAlertPercent: optional(orNull(percentKind), null, {
      about: 'Percentage of a budget at which an alert is recorded; none by default.',
      ...options,
    }),
  }
}

/** The names of all fields of budgets. */
export const budgetNames = [
  'totalNano',
  'dailyNano',
  'weeklyNano',
  'monthlyNano',
  'budgetZone',
  'budgetMonthDay',
  'budgetAlertPercent',
] as const

export function totalField<
  const Options extends { readonly by: 'member' | 'owner' | 'operator'; readonly absent?: 'keep' },
>(options: Options) {
  return {
    totalNano: optional(orNull(moneyKind), null, {
      file: 'total',
      about: 'Spending limit that never resets and counts everything ever spent; none by default.',
      ...options,
    }),
  }
}
