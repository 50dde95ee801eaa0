import { alignColumns } from '../config/align-columns.ts'
import type { CommandCall } from './command.ts'

/** A cell of one line or of several. */
type Cell = string | readonly string[]

interface ListForm<Row> {
  /** The text for an empty list, such as `There are no keys.` */
  readonly none: string
  readonly heading: readonly string[]
  cellsOf(row: Row): readonly Cell[]
  jsonOf(row: Row): unknown
}

/**
 * Writes a list page by page, as a table or, with --json, as JSON. A column is as wide as the widest cell so far: a
 * list of one page is aligned, and a long list needs no memory.
 */
export async function writeList<Row>(
  { context, isOn }: CommandCall,
  pages: AsyncIterable<readonly Row[]>,
  form: ListForm<Row>,
): Promise<void> {
  if (isOn('json')) return writeJson(context.stdout, pages, form)
  const widths: number[] = []
  let hasRows = false
  for await (const rows of pages) {
    if (rows.length === 0) continue
    const cells = rows.flatMap((row) => linesOf(form.cellsOf(row)))
    const lines = alignColumns(hasRows ? cells : [form.heading, ...cells], widths)
    context.stdout(`${lines.join('\n')}\n`)
    hasRows = true
  }
  if (!hasRows) context.stdout(`${form.none}\n`)
}

/** A row has as many lines as its highest cell. */
function linesOf(cells: readonly Cell[]): string[][] {
  const columns = cells.map((cell) => (typeof cell === 'string' ? [cell] : cell))
  const height = Math.max(...columns.map(({ length }) => length))
  return Array.from({ length: height }, (_, at) => columns.map((column) => column[at] ?? ''))
}

async function writeJson<Row>(
  stdout: (text: string) => void,
  pages: AsyncIterable<readonly Row[]>,
  { jsonOf }: Pick<ListForm<Row>, 'jsonOf'>,
): Promise<void> {
  let hasRows = false
  for await (const rows of pages) {
    for (const row of rows) {
      const text = JSON.stringify(jsonOf(row), null, 2).replaceAll('\n', '\n  ')
      stdout(`${hasRows ? ',' : '['}\n  ${text}`)
      hasRows = true
    }
  }
  stdout(hasRows ? '\n]\n' : '[]\n')
}
