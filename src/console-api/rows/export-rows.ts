import {
  type ExportFormat,
  incompleteCsvLine,
  incompleteJsonLine,
} from '../../core/text/export-format.ts'
import { stateProblemTexts } from '../contract/refusal-texts.ts'
import { ApiRefusal } from '../refusal.ts'
import type { ReadyAnswer, SignedInCall } from '../routes/route.ts'
import { type CsvValue, csvLine } from './csv-line.ts'
import { exportLimits } from './export-limiter.ts'

const pageRows = 500
/** Limit of rows in one export. More is exported in several periods. */
const rowsMax = 5_000_000

/** A source that is read page by page. */
export interface ExportSource<Row, Filters> {
  /** File name. */
  readonly name: string
  readonly columns: readonly string[]
  readonly filters: Filters
  readPage(
    filters: Filters,
    rowsMax: number,
  ): Promise<{ readonly rows: readonly Row[]; readonly next: string | null }>
  /** The filters for the page after `next`. */
  after(filters: Filters, next: string): Filters
  /** In the order of the columns. */
  cells(row: Row): readonly CsvValue[]
}

interface Writer<Row> {
  readonly contentType: string
  readonly head: string
  line(row: Row): string
  /** The last line of an incomplete file. */
  readonly incomplete: string
}

function writerOf<Row>(
  format: ExportFormat,
  source: Pick<ExportSource<Row, never>, 'columns' | 'cells'>,
): Writer<Row> {
  if (format === 'ndjson') {
    return {
      contentType: 'application/x-ndjson',
      head: '',
      line: (row) => `${JSON.stringify(row)}\n`,
      incomplete: incompleteJsonLine,
    }
  }
  return {
    contentType: 'text/csv; charset=utf-8',
    head: csvLine(source.columns),
    line: (row) => csvLine(source.cells(row)),
    incomplete: incompleteCsvLine,
  }
}

/**
 * Streams rows as CSV or as one JSON object per line (`?format=`). A page is read when the previous one has been sent.
 * If the client disconnects, the export just ends; if the client reads nothing for a while, or the caller has lost the
 * right to read on, the last line says that the file is incomplete.
 */
export function exportRows<Row, Filters>(
  call: ExportCall & Pick<SignedInCall, 'session'>,
  format: ExportFormat = 'csv',
  source: ExportSource<Row, Filters>,
): ReadyAnswer {
  const giveBack = call.exports.begin(call.session.userId)
  if (!giveBack) {
    throw new ApiRefusal('unavailable', stateProblemTexts.exports_busy, {
      detail: 'exports_busy',
      headers: { 'retry-after': '10' },
    })
  }
  const writer = writerOf(format, source)
  const headers = {
    'content-type': writer.contentType,
    'content-disposition': `attachment; filename="${source.name}.${format}"`,
    'cache-control': 'no-store',
  }
  return { response: new Response(streamRows(call, source, writer, giveBack), { headers }) }
}

type ExportCall = Pick<SignedInCall, 'deps' | 'exports' | 'context' | 'recheck'>

function streamRows<Row, Filters>(
  { deps, exports, context, recheck }: ExportCall,
  source: ExportSource<Row, Filters>,
  writer: Writer<Row>,
  giveBack: () => void,
): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder()
  const { incomplete } = writer
  let { filters } = source
  let rowCount = 0
  let { head } = writer
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
    // The session, the membership or the token may have ended since the page before.
    await recheck?.(deps.engine.db)
    let next: string | null = null
    const text = await exports.page(
      () => source.readPage(filters, pageRows),
      (page) => {
        next = page.next
        rowCount += page.rows.length
        return page.rows.map(writer.line).join('')
      },
    )
    const isFull = next !== null && rowCount >= rowsMax
    if (next !== null) filters = source.after(filters, next)
    return { text: text + (isFull ? incomplete : ''), isLast: next === null || isFull }
  }
  return new ReadableStream<Uint8Array>(
    {
      start: watch,
      pull: async (controller) => {
        clearTimeout(idle)
        try {
          // An empty page may have a next page.
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
          if (!(error instanceof ApiRefusal)) deps.onError?.(error, context.requestId)
          finish(controller, incomplete)
        }
      },
      cancel: end,
    },
    { highWaterMark: 0 },
  )
}
