import type { Engine } from '../../../store/engine.ts'
import { newestFirst, rowCondition, rowRange, type UsageOwner } from './row-range.ts'
import type { UsageFilters } from './usage-filters.ts'

export interface UsagePage {
  /** Newest first; one more than the page size if there is a next page. */
  readonly ids: readonly string[]
  /** Where the search stopped before the page was full; undefined at the end of the log. */
  readonly stoppedAt: string | undefined
}

/** Limit of rows that are read for one page: a filter that matches few rows must not read the whole log. */
const rowsSearchedMax = 5_000

/** The ids of one page. Owner and time select a range of an index; other filters are checked row by row. */
export async function findUsagePage(
  engine: Engine,
  owner: UsageOwner,
  filters: UsageFilters,
  count: number,
): Promise<UsagePage> {
  const range = rowRange(engine, owner, filters)
  const condition = rowCondition(filters)
  if (!condition) {
    const rows = await range.limit(count).execute()
    return { ids: rows.map((row) => row.request_id), stoppedAt: undefined }
  }
  const rows = await engine.usageDb
    .selectFrom(range.limit(rowsSearchedMax).as('u'))
    .select('u.request_id')
    .where(condition)
    .orderBy('u.request_id', newestFirst(owner))
    .limit(count)
    .execute()
  const ids = rows.map((row) => row.request_id)
  if (ids.length === count) return { ids, stoppedAt: undefined }
  const last = await range
    .offset(rowsSearchedMax - 1)
    .limit(1)
    .executeTakeFirst()
  return { ids, stoppedAt: last?.request_id }
}
