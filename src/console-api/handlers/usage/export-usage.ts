import { formatDollars } from '../../../core/money/money.ts'
import { csvColumns, type UsageRow } from '../../contract.ts'
import type { CallOf, ReadyAnswer } from '../../routes/route.ts'
import type { CsvValue } from '../../rows/csv-line.ts'
import { exportRows } from '../../rows/export-rows.ts'
import { findUsageRows } from './list-usage-rows.ts'
import { usageFilters } from './usage-filters.ts'
import { usageScope } from './usage-scope.ts'

/** Exports the request log, newest first. */
export async function exportUsage(call: CallOf<'GET /usage/export'>): Promise<ReadyAnswer> {
  const { engine } = call.deps
  const { format, ...query } = call.query
  const scope = await usageScope(engine, call.scope, query)
  return exportRows(call, format, {
    name: 'usage',
    columns: csvColumns,
    filters: usageFilters(query),
    readPage: (filters, rowsMax) => findUsageRows(engine, scope, filters, rowsMax),
    after: (filters, beforeId) => ({ ...filters, beforeId }),
    cells,
  })
}

function cells(row: UsageRow): readonly CsvValue[] {
  const { tokens } = row
  const values: Readonly<Record<(typeof csvColumns)[number], CsvValue>> = {
    request_id: row.requestId,
    time: new Date(row.at).toISOString(),
    account: row.accountId,
    key_id: row.keyId,
    key_name: row.keyName,
    model: row.model,
    protocol: row.protocol,
    group: row.group,
    stream: row.isStream ? 'true' : 'false',
    status: row.status,
    reason: row.reason,
    cost_usd: formatDollars(BigInt(row.costNano)),
    input_tokens: tokens?.input ?? null,
    cache_read_tokens: tokens?.cacheRead ?? null,
    cache_write_5m_tokens: tokens?.cacheWrite5m ?? null,
    cache_write_1h_tokens: tokens?.cacheWrite1h ?? null,
    output_tokens: tokens?.output ?? null,
    reasoning_tokens: tokens?.reasoning ?? null,
    first_token_ms: row.firstTokenMs,
    total_ms: row.totalMs,
    uncovered_usd: formatDollars(BigInt(row.uncoveredNano ?? 0)),
    key_owner: row.keyOwner,
  }
  return csvColumns.map((name) => values[name])
}
