import { largerOf, type Nano } from '../../core/money/money.ts'
import type { Engine } from '../../store/engine.ts'
import { type AlertSource, type Crossing, crossingsMax } from '../alert-source.ts'
import type { StoredAlert } from '../alert-store.ts'

const dayMs = 24 * 60 * 60_000
/** The days before today that define what is normal. */
const normalDays = 14
/** The first week in which an account is used defines what is normal, so no day of it is unusual. */
const weekDays = 7
const accountsASlice = 500

/**
 * Today, a day in UTC, costs more than the floor and more than a multiple of the usual spend: the median of the last
 * days, or the same day of the last week if that cost more, because many accounts are used only on some days of the
 * week. A day without requests counts as zero.
 */
export const spendUnusual: AlertSource = {
  kind: 'spend_unusual',
  find: async (db, alert, nowMs) => {
    const todayMs = dayOf(nowMs)
    const found: Crossing[] = []
    for (let after = ''; found.length < crossingsMax; ) {
      const accounts = await oldAccounts(db, alert, todayMs, after)
      for (const account of await findUnusual(db, alert, todayMs, accounts)) found.push(account)
      const last = accounts.at(-1)
      if (!last || accounts.length < accountsASlice) break
      after = last.id
    }
    return found.slice(0, crossingsMax)
  },
}

interface Account {
  readonly id: string
  readonly name: string
}

async function oldAccounts(
  db: Engine['db'],
  { accountId }: StoredAlert,
  todayMs: number,
  after: string,
): Promise<Account[]> {
  let accounts = db
    .selectFrom('account')
    .select(['id', 'name'])
    .where('created_at', '<=', todayMs - weekDays * dayMs)
    .where('id', '>', after)
  if (accountId !== null) accounts = accounts.where('id', '=', accountId)
  return accounts.orderBy('id').limit(accountsASlice).execute()
}

/** Reads the earlier days only of the accounts whose spend of today exceeds the floor. */
async function findUnusual(
  db: Engine['db'],
  { spendFactor, spendFloorNano }: StoredAlert,
  todayMs: number,
  accounts: readonly Account[],
): Promise<Crossing[]> {
  const today = await spendByDay(db, accounts, todayMs, todayMs + dayMs)
  const above = accounts.filter(({ id }) => sumOf(today.get(id)) > spendFloorNano)
  const before = await spendByDay(db, above, todayMs - normalDays * dayMs, todayMs)
  const firstDays = await firstDaysOf(db, above)
  return above.flatMap(({ id, name }) => {
    const spentNano = sumOf(today.get(id))
    const daysUsed = (todayMs - (firstDays.get(id) ?? todayMs)) / dayMs
    if (daysUsed < weekDays) return []
    const days = before.get(id)
    const median = medianOf(Math.min(normalDays, daysUsed), [...(days?.values() ?? [])])
    const usual = largerOf(median, days?.get(todayMs - weekDays * dayMs) ?? 0n)
    if (spentNano <= usual * BigInt(spendFactor)) return []
    const day = new Date(todayMs).toISOString().slice(0, 10)
    const values = {
      account: name,
      factor: String(spendFactor),
      day,
    }
    const amounts = { spend: spentNano, usual }
    return [{ subject: id, name: `${id} ${day}`, accountId: id, values, amounts }]
  })
}

/** The first day with a request, by account. */
async function firstDaysOf(
  db: Engine['db'],
  accounts: readonly Account[],
): Promise<ReadonlyMap<string, number>> {
  if (accounts.length === 0) return new Map()
  const ids = accounts.map(({ id }) => id)
  const rows = await db
    .selectFrom('usage_hour')
    .select('account_id')
    .select(({ fn }) => fn.min('hour').as('hour'))
    .where('account_id', 'in', ids)
    .groupBy('account_id')
    .execute()
  return new Map(rows.map(({ account_id: id, hour }) => [id, dayOf(Number(hour))]))
}

function dayOf(ms: number): number {
  return ms - (ms % dayMs)
}

/** Spend by account, then by day. */
async function spendByDay(
  db: Engine['db'],
  accounts: readonly Account[],
  fromMs: number,
  toMs: number,
): Promise<ReadonlyMap<string, ReadonlyMap<number, Nano>>> {
  const spent = new Map<string, Map<number, Nano>>()
  if (accounts.length === 0) return spent
  const rows = await db
    .selectFrom('usage_hour')
    .select(['account_id', 'hour'])
    .select(({ fn }) => fn.sum<bigint | string | number>('cost_nano').as('cost_nano'))
    .where(
      'account_id',
      'in',
      accounts.map(({ id }) => id),
    )
    .where('hour', '>=', fromMs)
    .where('hour', '<', toMs)
    .groupBy(['account_id', 'hour'])
    .execute()
  for (const { account_id: id, hour, cost_nano: cost } of rows) {
    const days = spent.get(id) ?? new Map<number, Nano>()
    const day = dayOf(hour)
    days.set(day, (days.get(day) ?? 0n) + BigInt(cost))
    spent.set(id, days)
  }
  return spent
}

function sumOf(days: ReadonlyMap<number, Nano> | undefined): Nano {
  return [...(days?.values() ?? [])].reduce((sum, each) => sum + each, 0n)
}

/** Rounded down. Days without a value are zero. */
export function medianOf(count: number, values: readonly Nano[]): Nano {
  const zeros = Array.from({ length: Math.max(0, count - values.length) }, () => 0n)
  const sorted = [...zeros, ...values].sort(
    (left, right) => Number(left > right) - Number(left < right),
  )
  const middle = Math.floor(sorted.length / 2)
  const upper = sorted[middle] ?? 0n
  if (sorted.length % 2 === 1) return upper
  return ((sorted[middle - 1] ?? 0n) + upper) / 2n
}
