import type { Engine } from '../../store/engine.ts'
import type { UsageAnswer } from '../contract.ts'
import { Refusal } from '../refusal.ts'
import type { Answer, SignedInCall } from '../route.ts'
import { describeUsageRow, type UsageQueryRow, usageQuery } from './usage-query.ts'

const pageRows = 50
const requestIdShape = /^[\w.-]{1,128}$/

interface Page {
  readonly keyId: string | undefined
  readonly beforeId: string | undefined
}

/** A page of the log, newest first. Request ids sort by time, so the last one of a page leads to the next. */
export async function listUsageRows({
  parts,
  query,
  scope,
}: SignedInCall): Promise<Answer<UsageAnswer>> {
  const page = { keyId: textOf(query, 'key'), beforeId: textOf(query, 'before') }
  // Each account is a range of its own index; a query over several of them at once would have to sort them all.
  const pages =
    scope.accountIds === undefined
      ? [await pageOf(parts.engine, undefined, page)]
      : await Promise.all(scope.accountIds.map((id) => pageOf(parts.engine, id, page)))
  const found = pages.flat().sort((one, other) => (one.request_id < other.request_id ? 1 : -1))
  const rows = found.slice(0, pageRows).map(describeUsageRow)
  const next = found.length > pageRows ? (rows.at(-1)?.requestId ?? null) : null
  return { body: { rows, next } }
}

function pageOf(
  engine: Engine,
  accountId: string | undefined,
  { keyId, beforeId }: Page,
): Promise<UsageQueryRow[]> {
  let query = usageQuery(engine)
  if (accountId !== undefined) query = query.where('u.account_id', '=', accountId)
  if (keyId !== undefined) query = query.where('u.key_id', '=', keyId)
  if (beforeId !== undefined) query = query.where('u.request_id', '<', beforeId)
  return query
    .orderBy('u.request_id', 'desc')
    .limit(pageRows + 1)
    .execute()
}

function textOf(query: URLSearchParams, name: string): string | undefined {
  const text = query.get(name)
  if (text === null || text === '') return undefined
  if (!requestIdShape.test(text)) throw new Refusal('invalid_request', `${name} is not an id.`)
  return text
}
