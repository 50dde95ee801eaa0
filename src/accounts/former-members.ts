import type { Selectable } from 'kysely'
import type { Writing } from '../store/changes/write.ts'
import { firstMarksOfMember, hasBudget } from '../store/rows/budget-columns.ts'
import type { BudgetColumns, TotalColumn } from '../store/tables/budget-tables.ts'
import type { LimitColumns } from '../store/tables/limit-tables.ts'

/** The limits of a member, with the marks of its budgets. */
export type MemberLimits = Selectable<BudgetColumns & TotalColumn> & LimitColumns

const budgetNames = ['total_nano', 'daily_nano', 'weekly_nano', 'monthly_nano'] as const
const calendarNames = ['budget_zone', 'budget_month_day', 'budget_alert_percent'] as const
const rateNames = ['requests_per_minute', 'tokens_per_minute', 'concurrent_requests'] as const
const budgetAndCalendar = [...budgetNames, ...calendarNames] as const
const markNames = ['budget_version', 'budget_since', 'budget_kinds_at'] as const
const limitNames = [...budgetNames, ...calendarNames, ...markNames, ...rateNames] as const

interface MemberName {
  readonly userId: string
  readonly accountId: string
}

/** Keeps the limits of a user who is about to leave one account, or all. */
export async function keepLimits(
  { tx }: Writing,
  { userId, accountId }: { readonly userId: string; readonly accountId?: string },
): Promise<void> {
  const query = tx
    .selectFrom('membership as m')
    .innerJoin('console_user as u', 'u.id', 'm.user_id')
    .select(limitNames.map((name) => `m.${name}` as const))
    .select(['m.account_id', 'u.email', 'u.invited_email'])
    .where('m.user_id', '=', userId)
  const rows = await (accountId === undefined
    ? query
    : query.where('m.account_id', '=', accountId)
  ).execute()
  for (const { email, invited_email, account_id, ...limits } of rows) {
    if (!hasBudget(limits) && !hasRate(limits)) continue
    await forget({ tx }, { userId, accountId: account_id })
    await tx
      .insertInto('former_member')
      .values({ ...limits, user_id: userId, account_id, email: invited_email ?? email })
      .execute()
  }
}

/**
 * The limits of a new member: the given ones, or, without any, those that the person had when leaving the account, or
 * those that the account gives to new members. The person may have had them with other logins of the same address, which
 * were deleted; their spending counts too.
 */
export async function limitsOfNewMember(
  writing: Writing,
  name: MemberName,
  given: Partial<MemberLimits>,
): Promise<Partial<MemberLimits>> {
  const own = await takeOwn(writing, name)
  const former = joinFormer(own, await takeByAddress(writing, name), writing.nowMs)
  const usual = await usualLimits(writing, name.accountId)
  const limits = {
    ...(!hasAny(given, budgetAndCalendar) && usual.budgets),
    ...(!hasAny(given, rateNames) && usual.rates),
    ...given,
    ...(former && hasBudget(former) && !hasBudget(given) && pick(former, budgetAndCalendar)),
    ...(former && hasRate(former) && !hasRate(given) && pick(former, rateNames)),
  }
  // A version names one set of limits, and these may differ from those that processes remember.
  const marks = firstMarksOfMember(limits, writing.nowMs)
  return { ...limits, ...marks, budget_since: own?.budget_since ?? 0 }
}

/** If another login has taken over the limits of this one, its limits are the later ones. */
function joinFormer(
  own: OwnFormer | undefined,
  others: MemberLimits | undefined,
  nowMs: number,
): MemberLimits | undefined {
  if (!own || !others) return own ?? others
  return own.successor_id === null ? strictestOf(own, others, nowMs) : others
}

/** What the account gives to members who join without own limits. */
async function usualLimits({ tx }: Writing, accountId: string) {
  const row = await tx
    .selectFrom('account')
    .select(['new_member_daily_nano as daily_nano', 'new_member_weekly_nano as weekly_nano'])
    .select(['new_member_monthly_nano as monthly_nano', ...calendarNames])
    .select('new_member_requests_per_minute as requests_per_minute')
    .select('new_member_tokens_per_minute as tokens_per_minute')
    .select('new_member_concurrent_requests as concurrent_requests')
    .where('id', '=', accountId)
    .executeTakeFirst()
  if (!row) return {}
  const budgets = pick(row, ['daily_nano', 'weekly_nano', 'monthly_nano', ...calendarNames])
  return { budgets: hasBudget(budgets) ? budgets : undefined, rates: pick(row, rateNames) }
}

function hasAny(given: Partial<MemberLimits>, names: readonly (keyof MemberLimits)[]): boolean {
  return names.some((name) => given[name] !== undefined)
}

/**
 * The limits of a login that takes over the membership of another login of the same person: the stricter of each kind.
 * The budgets count what both have spent.
 */
export function strictestOf(one: MemberLimits, other: MemberLimits, nowMs: number): MemberLimits {
  const calendar = pick(hasBudget(one) ? one : other, calendarNames)
  const limits = { ...pick(one, limitNames), ...calendar }
  for (const name of budgetNames) limits[name] = stricter(one[name], other[name])
  for (const name of rateNames) limits[name] = stricter(one[name], other[name])
  return { ...limits, ...(hasBudget(limits) && firstMarksOfMember(limits, nowMs)) }
}

/** Spending that counted for one login counts for the other, too. */
export async function followSuccessor(
  { tx }: Pick<Writing, 'tx'>,
  fromUserId: string,
  toUserId: string,
): Promise<void> {
  await tx
    .updateTable('former_member')
    .set({ successor_id: toUserId })
    .where('successor_id', '=', fromUserId)
    .execute()
  // A login is not its own successor.
  await tx
    .deleteFrom('former_member')
    .where('successor_id', '=', toUserId)
    .where('user_id', '=', toUserId)
    .execute()
}

type OwnFormer = MemberLimits & { readonly successor_id: string | null }

/** The user may have left and come back. */
async function takeOwn({ tx }: Writing, name: MemberName): Promise<OwnFormer | undefined> {
  const row = await tx
    .selectFrom('former_member')
    .select(['successor_id', ...limitNames])
    .where('user_id', '=', name.userId)
    .where('account_id', '=', name.accountId)
    .executeTakeFirst()
  if (row) await forget({ tx }, name)
  return row
}

async function takeByAddress(
  writing: Writing,
  { userId, accountId }: MemberName,
): Promise<MemberLimits | undefined> {
  const { tx, nowMs } = writing
  const login = await tx
    .selectFrom('console_user')
    .select(['email', 'invited_email'])
    .where('id', '=', userId)
    .executeTakeFirst()
  if (!login) return undefined
  const rows = await tx
    .selectFrom('former_member')
    .select(['user_id', ...limitNames])
    .where('account_id', '=', accountId)
    .where('email', '=', login.invited_email ?? login.email)
    .where('successor_id', 'is', null)
    .execute()
  for (const { user_id: formerId } of rows) {
    await followSuccessor({ tx }, formerId, userId)
    await tx
      .updateTable('former_member')
      .set({ successor_id: userId })
      .where('user_id', '=', formerId)
      .where('account_id', '=', accountId)
      .execute()
  }
  const [first, ...others] = rows
  return first && others.reduce<MemberLimits>((a, b) => strictestOf(a, b, nowMs), first)
}

async function forget({ tx }: Pick<Writing, 'tx'>, { userId, accountId }: MemberName) {
  await tx
    .deleteFrom('former_member')
    .where('user_id', '=', userId)
    .where('account_id', '=', accountId)
    .execute()
}

function hasRate(limits: Partial<LimitColumns>): boolean {
  return rateNames.some((name) => (limits[name] ?? null) !== null)
}

function stricter<Amount extends bigint | number>(
  one: Amount | null,
  other: Amount | null,
): Amount | null {
  if (one === null || other === null) return one ?? other
  return one < other ? one : other
}

function pick<Row extends object, Name extends keyof Row>(row: Row, names: readonly Name[]) {
  return Object.fromEntries(names.map((name) => [name, row[name]])) as Pick<Row, Name>
}
