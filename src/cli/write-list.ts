import { alignColumns } from '../config/align-columns.ts'
import type { CommandCall } from './command.ts'

interface ListForm<Row> {
  /** The text for an empty list, such as `There are no keys.` */
  readonly none: string
  readonly heading: readonly string[]
  cellsOf(row: Row): readonly string[]
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
    const cells = rows.map(form.cellsOf)
    const lines = alignColumns(hasRows ? cells : [form.heading, ...cells], widths)
    context.stdout(`${lines.join('\n')}\n`)
    hasRows = true
  }
  if (!hasRows) context.stdout(`${form.none}\n`)
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
