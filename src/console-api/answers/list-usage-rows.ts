import type { Engine } from '../../store/engine.ts'
import type { UsageAnswer } from '../contract.ts'
import type { Answer, Scope, SignedInCall } from '../route.ts'
import { findUsagePage, type UsageOwner } from './find-usage-page.ts'
import { readUsageFilters } from './usage-filters.ts'
import { describeUsageRow, usageQuery } from './usage-query.ts'

const pageRows = 50

export async function listUsageRows(call: SignedInCall): Promise<Answer<UsageAnswer>> {
  return { body: await readUsagePage(call.parts.engine, call.scope, call.query) }
}

/**
 * A page of the log, newest first. Request ids sort by time, so the last one of a page leads to the next. When a
 * filter fits few rows a page may be short, or empty, and still lead on to older ones.
 */
export async function readUsagePage(
  engine: Engine,
  scope: Scope,
  query: URLSearchParams,
): Promise<UsageAnswer> {
  const filters = readUsageFilters(query)
  // Each owner is a range of an index; a query over several of them at once would have to sort them all.
  const owners = await ownersOf(engine, scope, filters.keyId)
  const pages = await Promise.all(
    owners.map((owner) => findUsagePage(engine, owner, filters, pageRows + 1)),
  )
  // What is older than the place where one search stopped waits for the next page, or rows in between would be lost.
  const stops = pages.flatMap((page) => page.stoppedAt ?? [])
  const stop = stops.sort().at(-1)
  const ids = pages
    .flatMap((page) => page.ids)
    .filter((id) => stop === undefined || id >= stop)
    .sort()
    .reverse()
  const chosen = ids.slice(0, pageRows)
  const next = ids.length > pageRows ? chosen.at(-1) : stop
  return { rows: await readRows(engine, chosen), next: next ?? null }
}

/** A key belongs to one account, so with a key given the account is only checked. */
async function ownersOf(
  engine: Engine,
  { accountIds }: Scope,
  keyId: string | undefined,
): Promise<UsageOwner[]> {
  if (keyId === undefined)
    return accountIds === undefined ? [{}] : accountIds.map((accountId) => ({ accountId }))
  if (accountIds === undefined) return [{ keyId }]
  const key = await engine.db
    .selectFrom('api_key')
    .select('account_id')
    .where('id', '=', keyId)
    .executeTakeFirst()
  return key && accountIds.includes(key.account_id) ? [{ keyId }] : []
}

async function readRows(engine: Engine, ids: readonly string[]): Promise<UsageAnswer['rows']> {
  const [first] = ids
  if (first === undefined) return []
  // Always as many places, so that the database plans the statement once and not for each number of rows.
  const places = Array.from({ length: pageRows }, (_, place) => ids[place] ?? first)
  const rows = await usageQuery(engine)
    .where('u.request_id', 'in', places)
    .orderBy('u.request_id', 'desc')
    .execute()
  return rows.map(describeUsageRow)
}
