import { sql } from 'kysely'
import { firstRequestIdAt } from '../../../core/id.ts'
import type { OwnKeys } from '../../../keys/key-list.ts'
import type { Engine } from '../../../store/engine.ts'
import { hourMs } from '../../../usage/usage-hour-sql.ts'
import type { AccountOverview } from '../../contract.ts'
import type { Scope } from '../../routes/route.ts'
import { accountFigures, describeFigures } from '../account-figures.ts'

const accountsMax = 200

/** The accounts of the scope in order of name. In an account that the caller does not own, figures of own keys only. */
export async function overviewAccounts(
  engine: Engine,
  { accountIds, own }: Scope,
  sinceMs: number,
): Promise<AccountOverview[]> {
  if (own === undefined) return overviewWhole(engine, accountIds, sinceMs)
  const whole = accountIds?.filter((id) => !own.accountIds.includes(id))
  const [all, ownOnly] = await Promise.all([
    overviewWhole(engine, whole, sinceMs),
    overviewOwn(engine, own, sinceMs),
  ])
  const place = ({ name, id }: AccountOverview) => `${name} ${id}`
  return [...all, ...ownOnly].sort((left, right) => (place(left) < place(right) ? -1 : 1))
}

/** One SQL statement, so that the amounts belong to one moment. */
async function overviewWhole(
  engine: Engine,
  accountIds: readonly string[] | undefined,
  sinceMs: number,
): Promise<AccountOverview[]> {
  if (accountIds?.length === 0) return []
  // Hourly sums cover whole hours. Only rows of the hour that contains `sinceMs` are counted here.
  const firstId = firstRequestIdAt(sinceMs)
  const nextHour = sinceMs - (sinceMs % hourMs) + hourMs
  const nextHourId = firstRequestIdAt(nextHour)
  const every = engine.db.selectFrom('account').select(['id', 'name', 'status', 'available_nano'])
  const scoped = accountIds === undefined ? every : every.where('id', 'in', accountIds)
  // Selects the accounts first: SQLite would otherwise compute the figures of all accounts before sorting.
  const chosen = scoped.orderBy('name').orderBy('id').limit(accountsMax)
  const query = engine.db.selectFrom(chosen.as('a')).select([
    'a.id',
    'a.name',
    'a.status',
    'a.available_nano',
    ...accountFigures,
    sql<number>`CAST((SELECT COUNT(*) FROM usage_row WHERE account_id = a.id
      AND request_id >= ${firstId} AND request_id < ${nextHourId})
      + COALESCE((SELECT SUM(requests) FROM usage_hour WHERE account_id = a.id AND hour >= ${nextHour}), 0)
      AS BIGINT)`.as('request_count'),
  ])
  const rows = await query.orderBy('a.name').orderBy('a.id').execute()
  return rows.map((row) => ({
    id: row.id,
    name: row.name,
    isSuspended: row.status !== 'active',
    ...describeFigures(row),
    requestCount: row.request_count,
  }))
}

/** Neither the balance nor a sum of the account: others' spending would follow from it. */
async function overviewOwn(
  engine: Engine,
  own: OwnKeys,
  sinceMs: number,
): Promise<AccountOverview[]> {
  if (own.accountIds.length === 0) return []
  const firstId = firstRequestIdAt(sinceMs)
  const nextHour = sinceMs - (sinceMs % hourMs) + hourMs
  const nextHourId = firstRequestIdAt(nextHour)
  const keys = sql`SELECT id FROM api_key WHERE owner_user_id = ${own.userId} AND account_id = a.id`
  const rows = await engine.db
    .selectFrom('account as a')
    .select([
      'a.id',
      'a.name',
      'a.status',
      sql<number>`(SELECT COUNT(*) FROM api_key WHERE owner_user_id = ${own.userId}
        AND account_id = a.id AND deleted_at IS NULL)`.as('key_count'),
      sql<bigint>`CAST(COALESCE((SELECT SUM(spent_nano) FROM api_key WHERE owner_user_id = ${own.userId}
        AND account_id = a.id), 0)
        + COALESCE((SELECT SUM(spent_nano) FROM former_key_owner WHERE user_id = ${own.userId}
          AND account_id = a.id), 0)
        + COALESCE((SELECT SUM(used_nano) FROM lease WHERE key_id IN (${keys})), 0)
        AS BIGINT)`.as('spent_nano'),
      sql<number>`CAST((SELECT COUNT(*) FROM usage_row WHERE key_id IN (${keys})
        AND request_id >= ${firstId} AND request_id < ${nextHourId})
        + COALESCE((SELECT SUM(requests) FROM usage_hour WHERE key_id IN (${keys})
          AND hour >= ${nextHour}), 0)
        + (SELECT COUNT(*) FROM former_key_owner o JOIN usage_row u ON u.key_id = o.key_id
          AND u.request_id >= ${firstId} AND u.request_id < o.until_id AND u.at < o.until_at
          WHERE o.user_id = ${own.userId} AND o.account_id = a.id) AS BIGINT)`.as('request_count'),
    ])
    .where('a.id', 'in', own.accountIds)
    .orderBy('a.name')
    .orderBy('a.id')
    .limit(accountsMax)
    .execute()
  return rows.map((row) => ({
    id: row.id,
    name: row.name,
    isSuspended: row.status !== 'active',
    availableNano: null,
    heldNano: null,
    spentNano: String(row.spent_nano),
    keyCount: row.key_count,
    requestCount: row.request_count,
  }))
}
