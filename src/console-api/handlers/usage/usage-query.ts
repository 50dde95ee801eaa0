import type { Kysely } from 'kysely'
import type { Tables } from '../../../store/tables/tables.ts'
import type { UsageRow } from '../../contract.ts'

/** The log joined with the entries. The list and the details start here. */
export function usageQuery(db: Kysely<Tables>) {
  return db
    .selectFrom('usage_row as u')
    .leftJoin('entry as e', 'e.request_id', 'u.request_id')
    .leftJoin('api_key as k', 'k.id', 'u.key_id')
    .leftJoin('former_key_owner as f', (join) =>
      join.onRef('f.key_id', '=', 'u.key_id').onRef('u.at', '<', 'f.until_at'),
    )
    .leftJoin('console_user as o', (join) =>
      join.on('o.id', '=', (eb) => eb.fn.coalesce('k.owner_user_id', 'f.user_id')),
    )
    .leftJoin('uncovered as n', 'n.request_id', 'u.request_id')
    .select([
      'u.request_id',
      'u.at',
      'u.account_id',
      'u.key_id',
      'k.name as key_name',
      'u.model',
      'u.protocol',
      'u.group_id',
      'u.stream',
      'u.status',
      'u.reason',
      'u.cost_nano',
      'u.first_token_ms',
      'u.total_ms',
      'e.input_tokens',
      'e.cache_read_tokens',
      'e.cache_write_5m_tokens',
      'e.cache_write_1h_tokens',
      'e.output_tokens',
      'e.reasoning_tokens',
      'n.uncovered_nano',
    ])
    .select(({ fn }) =>
      fn.coalesce('o.invited_email', 'o.email', 'k.owner_user_id', 'f.user_id').as('key_owner'),
    )
}

export type UsageQueryRow = Awaited<ReturnType<ReturnType<typeof usageQuery>['execute']>>[number]

export function describeUsageRow(row: UsageQueryRow): UsageRow {
  return {
    requestId: row.request_id,
    at: row.at,
    accountId: row.account_id,
    keyId: row.key_id,
    keyName: row.key_name,
    keyOwner: row.key_owner,
    model: row.model,
    protocol: row.protocol,
    group: row.group_id,
    isStream: row.stream === 1,
    status: row.status,
    reason: row.reason,
    costNano: String(row.cost_nano),
    ...(row.uncovered_nano === null ? {} : { uncoveredNano: String(row.uncovered_nano) }),
    firstTokenMs: row.first_token_ms,
    totalMs: row.total_ms,
    tokens: describeTokens(row),
  }
}

function describeTokens(row: UsageQueryRow): UsageRow['tokens'] {
  if (row.input_tokens === null) return null
  return {
    input: row.input_tokens,
    cacheRead: row.cache_read_tokens ?? 0,
    cacheWrite5m: row.cache_write_5m_tokens ?? 0,
    cacheWrite1h: row.cache_write_1h_tokens ?? 0,
    output: row.output_tokens ?? 0,
    reasoning: row.reasoning_tokens ?? 0,
  }
}
