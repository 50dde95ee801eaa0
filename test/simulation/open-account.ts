import type { Engine } from '../../src/store/engine.ts'
import type { MemoryDatabase } from '../support/ledger/memory-database.ts'
import type { BudgetTermsOf, Terms } from './terms.ts'

const tables = [
  'lease',
  'entry',
  'uncovered',
  'credit',
  'api_key',
  'account',
  'membership',
  'budget_counter',
  'budget_set',
  'budget_crossing',
  'uncounted_cost',
  'replica',
  'change',
]

/** The members who own a key at some time. */
export const members = ['u', 'v'] as const

/** The column of each kind of limit. */
export const limitColumn = {
  total: 'total_nano',
  day: 'daily_nano',
  week: 'weekly_nano',
  month: 'monthly_nano',
} as const

/** The columns of a limit; empty without a limit. */
function limitOf(period: BudgetTermsOf['period'], nano: bigint | null) {
  if (nano === null) return {}
  return { [limitColumn[period]]: nano, budget_alert_percent: 80, budget_version: 1 }
}

/** An account with credit and two members, a key with a quota and one without, and nothing else in the database. */
export async function openAccount(
  database: MemoryDatabase,
  { db }: Engine,
  money: Pick<Terms, 'creditNano' | 'quotaNano' | 'budgets'>,
): Promise<void> {
  database.clear(tables)
  const { creditNano, budgets } = money
  const { period = 'total', keyNano = null, memberNano = null, accountNano = null } = budgets ?? {}
  const account = { id: 'a', name: 'A', status: 'active', ends_at: null, created_at: 1 }
  await db
    .insertInto('account')
    .values({ ...account, available_nano: creditNano, ...limitOf(period, accountNano) })
    .execute()
  const credit = { id: 'c', account_id: 'a', source: 's', external_id: '1', reason: '' }
  await db
    .insertInto('credit')
    .values({ ...credit, amount_nano: creditNano, created_at: 1 })
    .execute()
  const key = (id: string, quotaNano: bigint | null) => ({
    id,
    account_id: 'a',
    name: id,
    value_hash: id,
    value_sealed: '',
    value_hint: '',
    imported: 0,
    groups: '[]',
    models: null,
    addresses: null,
    quota_nano: quotaNano,
    available_nano: quotaNano,
    spent_nano: 0n,
    expires_at: null,
    enabled: 1,
    created_at: 1,
  })
  // A key has a quota instead of a total.
  const limits = period === 'total' ? {} : limitOf(period, keyNano)
  const limited = { ...key('limited', money.quotaNano ?? null), ...limits }
  await db.insertInto('api_key').values(limited).execute()
  await db.insertInto('api_key').values(key('free', null)).execute()
  await db
    .insertInto('membership')
    .values(members.map((id) => ({ user_id: id, account_id: 'a', ...limitOf(period, memberNano) })))
    .execute()
}
