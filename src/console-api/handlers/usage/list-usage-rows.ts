import type { Engine } from '../../../store/engine.ts'
import { pageRows } from '../../contract/paging.ts'
import type { ReadUsageQuery } from '../../contract/usage-query.ts'
import type { UsageAnswer } from '../../contract.ts'
import type { CallOf, JsonAnswer, Scope } from '../../routes/route.ts'
import { findUsagePage, type UsagePage } from './find-usage-page.ts'
import { ownersOf } from './owners-of.ts'
import { ownersAtOnce } from './sum-rows.ts'
import { type UsageFilters, usageFilters } from './usage-filters.ts'
import { describeUsageRow, usageQuery } from './usage-query.ts'
import { usageScope } from './usage-scope.ts'

export async function listUsageRows(call: CallOf<'GET /usage'>): Promise<JsonAnswer<UsageAnswer>> {
  return { body: await readUsagePage(call.deps.engine, call.scope, call.query, call.query.limit) }
}

export async function readUsagePage(
  engine: Engine,
  scope: Scope,
  query: ReadUsageQuery,
  rowsMax: number = pageRows.usage,
): Promise<UsageAnswer> {
  const visible = await usageScope(engine, scope, query)
  return findUsageRows(engine, visible, usageFilters(query), rowsMax)
}

/**
 * A page of the log, newest first. Request ids sort by time, so the last id is the cursor. With a filter that matches
 * few rows a page may be short or empty and still have a next page.
 */
export async function findUsageRows(
  engine: Engine,
  scope: Scope,
  filters: UsageFilters,
  rowsMax: number,
): Promise<UsageAnswer> {
  // Each owner is a range of an index. One query over several owners would have to sort all their rows.
  const owners = await ownersOf(engine, scope, filters.keyId)
  const pages: UsagePage[] = []
  for (let at = 0; at < owners.length; at += ownersAtOnce) {
    const some = owners.slice(at, at + ownersAtOnce)
    const found = some.map((owner) => findUsagePage(engine, owner, filters, rowsMax + 1))
    pages.push(...(await Promise.all(found)))
  }
  // Rows older than the point where one search stopped wait for the next page. Otherwise rows in between would be lost.
  const stops = pages.flatMap((page) => page.stoppedAt ?? [])
  const stop = stops.sort().at(-1)
  const ids = pages
    .flatMap((page) => page.ids)
    .filter((id) => stop === undefined || id >= stop)
    .sort()
    .reverse()
  const chosen = ids.slice(0, rowsMax)
  const next = ids.length > rowsMax ? chosen.at(-1) : stop
  return { rows: await readRows(engine, chosen, rowsMax), next: next ?? null }
}

async function readRows(
  engine: Engine,
  ids: readonly string[],
  rowsMax: number,
): Promise<UsageAnswer['rows']> {
  const [first] = ids
  if (first === undefined) return []
  // A fixed number of parameters, so that the database plans the statement once.
  const places = Array.from({ length: rowsMax }, (_, place) => ids[place] ?? first)
  const rows = await usageQuery(engine.usageDb)
    .where('u.request_id', 'in', places)
    .orderBy('u.request_id', 'desc')
    .execute()
  return rows.map(describeUsageRow)
}
