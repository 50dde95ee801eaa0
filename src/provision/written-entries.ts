import { mapInTurns } from '../core/runtime/turns.ts'

/** An entry in the format of the file. */
export type WrittenEntry = Readonly<Record<string, unknown>>

/** The number of entries written in one turn of the event loop. */
const entriesATurn = 50

/** Converts each row to an entry, over several turns of the event loop. */
export function entriesOf<Row, Entry extends WrittenEntry>(
  rows: readonly Row[],
  write: (row: Row) => Entry,
): Promise<Entry[]> {
  return mapInTurns(rows, entriesATurn, write)
}

/** Sorts in the process, because databases disagree on the order of texts. */
export function sortBy<Row>(rows: readonly Row[], textOf: (row: Row) => string): Row[] {
  return rows
    .map((row) => ({ row, text: textOf(row) }))
    .sort((left, right) => (left.text < right.text ? -1 : Number(left.text > right.text)))
    .map(({ row }) => row)
}
