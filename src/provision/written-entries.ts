import { turns } from '../core/turns.ts'

/** An entry as the file has it. */
export type WrittenEntry = Readonly<Record<string, unknown>>

/** So many entries are written in one turn of the event loop. */
const entriesATurn = 50

/** Each row as an entry, with turns for others in between. */
export async function entriesOf<Row>(
  rows: readonly Row[],
  write: (row: Row) => WrittenEntry,
): Promise<WrittenEntry[]> {
  const entries: WrittenEntry[] = []
  for (const [index, row] of rows.entries()) {
    if (index % entriesATurn === 0) await turns.next()
    entries.push(write(row))
  }
  return entries
}

/** The same on every database: they do not agree on the order of texts. */
export function sortBy<Row>(rows: readonly Row[], textOf: (row: Row) => string): Row[] {
  return rows.toSorted((left, right) => {
    const [first, second] = [textOf(left), textOf(right)]
    return first < second ? -1 : Number(first > second)
  })
}
