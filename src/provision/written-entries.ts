import { mapInTurns } from '../core/turns.ts'

/** An entry as the file has it. */
export type WrittenEntry = Readonly<Record<string, unknown>>

/** So many entries are written in one turn of the event loop. */
const entriesATurn = 50

/** Each row as an entry, with turns for others in between. */
export function entriesOf<Row, Entry extends WrittenEntry>(
  rows: readonly Row[],
  write: (row: Row) => Entry,
): Promise<Entry[]> {
  return mapInTurns(rows, entriesATurn, write)
}

/** The same on every database: they do not agree on the order of texts. */
export function sortBy<Row>(rows: readonly Row[], textOf: (row: Row) => string): Row[] {
  return rows
    .map((row) => ({ row, text: textOf(row) }))
    .sort((left, right) => (left.text < right.text ? -1 : Number(left.text > right.text)))
    .map(({ row }) => row)
}
