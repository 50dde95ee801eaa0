import { formatDollars } from '../../../core/money.ts'
import { csvColumns, type UsageRow } from '../../contract.ts'
import { exportLimits } from '../../export-desk.ts'
import { Refusal } from '../../refusal.ts'
import { stateWords } from '../../refusal-words.ts'
import type { CallOf, ReadyAnswer, SignedInCall } from '../../route.ts'
import { findUsageRows } from './list-usage-rows.ts'
import { type UsageFilters, usageFilters } from './usage-filters.ts'

const pageRows = 500
/** An export ends here; whoever needs more takes it in parts of time. */
const rowsMax = 5_000_000

/**
 * The log as a file of comma-separated values, written while it is read: a page is read when the one before has been
 * sent. A reader who goes away ends it without a word; one who takes nothing for a while ends it with a line that says
 * so.
 */
export async function exportUsage(call: CallOf<'GET /usage/export'>): Promise<ReadyAnswer> {
  const filters = usageFilters(call.query)
  const giveBack = call.exports.begin(call.session.userId)
  if (!giveBack) {
    throw new Refusal('unavailable', stateWords.exports_busy, {
      detail: 'exports_busy',
      headers: { 'retry-after': '10' },
    })
  }
  const headers = {
    'content-type': 'text/csv; charset=utf-8',
    'content-disposition': 'attachment; filename="usage.csv"',
    'cache-control': 'no-store',
  }
  return { response: new Response(streamRows(call, filters, giveBack), { headers }) }
}

function streamRows(
  call: SignedInCall,
  from: UsageFilters,
  giveBack: () => void,
): ReadableStream<Uint8Array> {
  const { parts, scope, exports } = call
  const encoder = new TextEncoder()
  let filters = from
  let rowCount = 0
  let head = `${csvColumns.join(',')}\r\n`
  let isOver = false
  let idle: NodeJS.Timeout | undefined
  const end = () => {
    isOver = true
    clearTimeout(idle)
    giveBack()
  }
  const finish = (controller: ReadableStreamDefaultController<Uint8Array>, text: string) => {
    end()
    if (text !== '') controller.enqueue(encoder.encode(text))
    controller.close()
  }
  const watch = (controller: ReadableStreamDefaultController<Uint8Array>) => {
    clearTimeout(idle)
    idle = setTimeout(() => finish(controller, incomplete), exportLimits.idleMs)
  }
  /** The next page that has rows, or the last. */
  const readOn = async (): Promise<{ readonly text: string; readonly isLast: boolean }> => {
    let next: string | null = null
    const text = await exports.page(
      () => findUsageRows(parts.engine, scope, filters, pageRows),
      (page) => {
        next = page.next
        rowCount += page.rows.length
        return page.rows.map(csvLine).join('')
      },
    )
    const isFull = next !== null && rowCount >= rowsMax
    if (next !== null) filters = { ...filters, beforeId: next }
    return { text: text + (isFull ? incomplete : ''), isLast: next === null || isFull }
  }
  return new ReadableStream<Uint8Array>(
    {
      start: watch,
      pull: async (controller) => {
        clearTimeout(idle)
        try {
          // An empty page leads on too, as long as somebody waits for it.
          while (!isOver) {
            const { text, isLast } = await readOn()
            if (isOver) return
            if (isLast) return finish(controller, head + text)
            if (text === '') continue
            controller.enqueue(encoder.encode(head + text))
            head = ''
            return watch(controller)
          }
        } catch (error) {
          if (isOver) return
          parts.onError?.(error, call.context.requestId)
          finish(controller, incomplete)
        }
      },
      cancel: end,
    },
    { highWaterMark: 0 },
  )
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
