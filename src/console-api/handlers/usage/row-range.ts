import { type OrderByModifiersCallbackExpression, sql } from 'kysely'
import { firstRequestIdAt } from '../../../core/id.ts'
import type { Engine } from '../../../store/engine.ts'
import type { UsageFilters } from './usage-filters.ts'

/** The owner of rows: one key with its account, one account, or everyone. */
export interface UsageOwner {
  readonly keyId?: string
  readonly accountId?: string
  /** The caller sees only this key of the account: the query must not read rows of other keys. */
  readonly isOwn?: true
  /** Only earlier rows: then the key became a service key. */
  readonly untilMs?: number
}

const rangeColumns = [
  'request_id',
  'at',
  'account_id',
  'key_id',
  'model',
  'protocol',
  'group_id',
  'stream',
  'status',
  'reason',
  'cost_nano',
  'first_token_ms',
  'total_ms',
] as const

/**
 * Ids are never null, but on Postgres only the indexes that begin with an owner declare NULLS LAST. This order keeps
 * the planner from scanning the whole log, which is slow if the owner has no recent rows.
 */
export function newestFirst({ accountId }: UsageOwner): OrderByModifiersCallbackExpression {
  return (order) => (accountId === undefined ? order.desc() : order.desc().nullsLast())
}

/** The rows of an owner in a range of ids, newest first: a scan of one index. */
export function rowRange(
  engine: Engine,
  owner: UsageOwner,
  filters: Pick<UsageFilters, 'fromId' | 'beforeId' | 'status'>,
) {
  const { keyId, accountId, isOwn, untilMs } = owner
  const { fromId, beforeId, status } = filters
  let query = engine.usageDb
    .selectFrom('usage_row')
    .select(rangeColumns)
    .orderBy('request_id', newestFirst(owner))
  const isTrouble = isOfTrouble(status) && isOwn !== true
  // Failed requests are few and have their own indexes, per account and for everyone. The key is then checked row by
  // row.
  if (keyId !== undefined && !isTrouble) query = query.where('key_id', '=', keyId)
  else if (accountId !== undefined) query = query.where('account_id', '=', accountId)
  if (isTrouble) query = query.where(troubleOf(owner))
  if (fromId !== undefined) query = query.where('request_id', '>=', fromId)
  if (beforeId !== undefined) query = query.where('request_id', '<', beforeId)
  if (untilMs !== undefined) query = query.where('request_id', '<', firstRequestIdAt(untilMs))
  return query
}

/** Reasons are never empty: both conditions are equivalent, and each matches the predicate of one index. */
function troubleOf({ accountId }: UsageOwner) {
  return accountId === undefined ? sql<boolean>`reason > ''` : sql<boolean>`reason IS NOT NULL`
}

/** Every response with such a status has a reason. */
function isOfTrouble(status: UsageFilters['status']): boolean {
  return status === 'error' || (typeof status === 'number' && status >= 400)
}

/** The condition that is checked row by row; undefined if every row of the range matches. */
export function rowCondition(filters: UsageFilters) {
  const conditions = []
  const { keyId, model, protocol, group, status, isStream, minCostNano, maxCostNano } = filters
  if (keyId !== undefined && isOfTrouble(status)) conditions.push(sql`u.key_id = ${keyId}`)
  if (model !== undefined) conditions.push(sql`u.model = ${model}`)
  if (protocol !== undefined) conditions.push(sql`u.protocol = ${protocol}`)
  if (group !== undefined) conditions.push(sql`u.group_id = ${group}`)
  // An explained request has the reason `explained`, and has not failed.
  if (status === 'error') conditions.push(sql`u.reason <> 'explained'`)
  else if (status === 'ok') conditions.push(sql`(u.reason IS NULL OR u.reason = 'explained')`)
  else if (status !== undefined) conditions.push(sql`u.status = ${status}`)
  if (isStream !== undefined) conditions.push(sql`u.stream = ${isStream ? 1 : 0}`)
  if (minCostNano !== undefined) conditions.push(sql`u.cost_nano >= ${minCostNano}`)
  if (maxCostNano !== undefined) conditions.push(sql`u.cost_nano <= ${maxCostNano}`)
  return conditions.length === 0 ? undefined : sql<boolean>`${sql.join(conditions, sql` AND `)}`
}
