import { type OrderByModifiersCallbackExpression, sql } from 'kysely'
import type { Engine } from '../../../store/engine.ts'
import type { UsageFilters } from './usage-filters.ts'

/** Whose rows: those of one key, of one account, or all. */
export interface UsageOwner {
  readonly keyId?: string | undefined
  readonly accountId?: string | undefined
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
 * Ids are never null, but on Postgres only the indexes that begin with an owner have the order that says so. It keeps
 * the planner from walking down the whole log instead, which takes long when the owner has no recent rows.
 */
export function newestFirst({ keyId, accountId }: UsageOwner): OrderByModifiersCallbackExpression {
  const isOwned = keyId !== undefined || accountId !== undefined
  return (order) => (isOwned ? order.desc().nullsLast() : order.desc())
}

/** The rows of an owner in a range of ids, newest first: a walk along one index. */
export function rowRange(
  engine: Engine,
  owner: UsageOwner,
  filters: Pick<UsageFilters, 'fromId' | 'beforeId' | 'status'>,
) {
  const { keyId, accountId } = owner
  const { fromId, beforeId, status } = filters
  let query = engine.db
    .selectFrom('usage_row')
    .select(rangeColumns)
    .orderBy('request_id', newestFirst(owner))
  if (keyId !== undefined) query = query.where('key_id', '=', keyId)
  if (accountId !== undefined) query = query.where('account_id', '=', accountId)
  if (fromId !== undefined) query = query.where('request_id', '>=', fromId)
  if (beforeId !== undefined) query = query.where('request_id', '<', beforeId)
  // Errors are few, have a reason, and have an index of their own; the rows in between need not be looked at.
  if (status === 'error' || (typeof status === 'number' && status >= 400))
    query = query.where(sql<boolean>`reason IS NOT NULL`)
  return query
}

/** What is checked row by row; undefined when every row of the range fits. */
export function rowCondition(filters: UsageFilters) {
  const conditions = []
  const { model, protocol, group, status, isStream, minCostNano, maxCostNano } = filters
  if (model !== undefined) conditions.push(sql`u.model = ${model}`)
  if (protocol !== undefined) conditions.push(sql`u.protocol = ${protocol}`)
  if (group !== undefined) conditions.push(sql`u.group_id = ${group}`)
  if (status === 'error') conditions.push(sql`u.reason IS NOT NULL`)
  else if (status === 'ok') conditions.push(sql`u.reason IS NULL`)
  else if (status !== undefined) conditions.push(sql`u.status = ${status}`)
  if (isStream !== undefined) conditions.push(sql`u.stream = ${isStream ? 1 : 0}`)
  if (minCostNano !== undefined) conditions.push(sql`u.cost_nano >= ${minCostNano}`)
  if (maxCostNano !== undefined) conditions.push(sql`u.cost_nano <= ${maxCostNano}`)
  return conditions.length === 0 ? undefined : sql<boolean>`${sql.join(conditions, sql` AND `)}`
}
