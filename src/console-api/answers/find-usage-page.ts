import { type OrderByModifiersCallbackExpression, sql } from 'kysely'
import type { Engine } from '../../store/engine.ts'
import type { UsageFilters } from './usage-filters.ts'

/** Whose rows: those of one key, of one account, or all. */
export interface UsageOwner {
  readonly keyId?: string | undefined
  readonly accountId?: string | undefined
}

export interface UsagePage {
  /** Newest first, one more than a page when there is more. */
  readonly ids: readonly string[]
  /** Where the search stopped before the page was full; undefined when it came to the end of the log. */
  readonly stoppedAt: string | undefined
}

/** So many rows are looked at for one page: a filter that fits hardly anything must not read the whole log. */
const rowsSearchedMax = 5_000

/** The ids of one page. Owner and time are a range of an index; the other filters are checked row by row. */
export async function findUsagePage(
  engine: Engine,
  owner: UsageOwner,
  filters: UsageFilters,
  count: number,
): Promise<UsagePage> {
  const isFiltered = [filters.model, filters.protocol, filters.group, filters.status].some(
    (filter) => filter !== undefined,
  )
  const range = rangeOf(engine, owner, filters)
  if (!isFiltered) {
    const rows = await range.limit(count).execute()
    return { ids: rows.map((row) => row.request_id), stoppedAt: undefined }
  }
  let query = engine.db
    .selectFrom(range.limit(rowsSearchedMax).as('u'))
    .select('u.request_id')
    .orderBy('u.request_id', newestFirst(owner))
    .limit(count)
  const { model, protocol, group, status } = filters
  if (model !== undefined) query = query.where('u.model', '=', model)
  if (protocol !== undefined) query = query.where('u.protocol', '=', protocol)
  if (group !== undefined) query = query.where('u.group_id', '=', group)
  if (status === 'error') query = query.where('u.reason', 'is not', null)
  else if (status !== undefined) query = query.where('u.status', '=', status)
  const ids = (await query.execute()).map((row) => row.request_id)
  if (ids.length === count) return { ids, stoppedAt: undefined }
  const last = await range
    .offset(rowsSearchedMax - 1)
    .limit(1)
    .executeTakeFirst()
  return { ids, stoppedAt: last?.request_id }
}

/**
 * Ids are never null, but on Postgres only the indexes that begin with an owner have the order that says so. It keeps
 * the planner from walking down the whole log instead, which takes long when the owner has no recent rows.
 */
function newestFirst({ keyId, accountId }: UsageOwner): OrderByModifiersCallbackExpression {
  const isOwned = keyId !== undefined || accountId !== undefined
  return (order) => (isOwned ? order.desc().nullsLast() : order.desc())
}

function rangeOf(engine: Engine, { keyId, accountId }: UsageOwner, filters: UsageFilters) {
  const { fromId, beforeId, status } = filters
  let query = engine.db
    .selectFrom('usage_row')
    .select(['request_id', 'model', 'protocol', 'group_id', 'status', 'reason'])
    .orderBy('request_id', newestFirst({ keyId, accountId }))
  if (keyId !== undefined) query = query.where('key_id', '=', keyId)
  if (accountId !== undefined) query = query.where('account_id', '=', accountId)
  if (fromId !== undefined) query = query.where('request_id', '>=', fromId)
  if (beforeId !== undefined) query = query.where('request_id', '<', beforeId)
  // Errors are few, have a reason, and have an index of their own; the rows in between need not be looked at.
  if (status === 'error' || (status !== undefined && status >= 400))
    query = query.where(sql<boolean>`reason IS NOT NULL`)
  return query
}
