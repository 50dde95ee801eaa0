import { formatDollars } from '../../../core/money.ts'
import { csvColumns, type UsageRow } from '../../contract.ts'
import type { Answer, SignedInCall } from '../../route.ts'
import { findUsageRows } from './list-usage-rows.ts'
import { readUsageFilters } from './usage-filters.ts'

const pageRows = 500
/** An export ends here; whoever needs more takes it in parts of time. */
const rowsMax = 5_000_000

/** The log as a file of comma-separated values, written while it is read: a page waits until the last one is sent. */
export async function exportUsage(call: SignedInCall): Promise<Answer> {
  const { parts, scope, query } = call
  let filters = readUsageFilters(query)
  let rowCount = 0
  const encoder = new TextEncoder()
  let isFirst = true
  const body = new ReadableStream<Uint8Array>({
    pull: async (controller) => {
      try {
        const { rows, next } = await findUsageRows(parts.engine, scope, filters, pageRows)
        const head = isFirst ? `${csvColumns.join(',')}\r\n` : ''
        isFirst = false
        rowCount += rows.length
        const isFull = next !== null && rowCount >= rowsMax
        const text = head + rows.map(csvLine).join('') + (isFull ? incomplete : '')
        if (text !== '') controller.enqueue(encoder.encode(text))
        if (next === null || isFull) controller.close()
        else {
          filters = { ...filters, beforeId: next }
          // An empty page must still lead on: nothing else asks for the next one.
          if (text === '') controller.enqueue(new Uint8Array(0))
        }
      } catch (error) {
        parts.onError?.(error, call.context.requestId)
        controller.enqueue(encoder.encode(incomplete))
        controller.close()
      }
    },
  })
  const headers = {
    'content-type': 'text/csv; charset=utf-8',
    'content-disposition': 'attachment; filename="usage.csv"',
    'cache-control': 'no-store',
  }
  return { response: new Response(body, { headers }) }
}

const incomplete = '# incomplete\r\n'

function csvLine(row: UsageRow): string {
  const { tokens } = row
  const values: Readonly<Record<(typeof csvColumns)[number], string | number | null>> = {
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
  }
  return `${csvColumns.map((name) => csvCell(values[name])).join(',')}\r\n`
}

/** Names are chosen by people: one that a spreadsheet would take for a formula is marked as text. */
function csvCell(value: string | number | null): string {
  if (value === null) return ''
  if (typeof value === 'number') return String(value)
  const text = /^[=+\-@\t\r]/.test(value) ? `'${value}` : value
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}
