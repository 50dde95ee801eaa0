/** Rows per INSERT; SQLite allows 32,766 values in a statement. */
const rowsMax = 300

/** Inserts any number of rows with as few statements as possible. */
export async function insertAll<Row>(
  rows: readonly Row[],
  insert: (some: Row[]) => Promise<unknown>,
): Promise<void> {
  for (let at = 0; at < rows.length; at += rowsMax) await insert(rows.slice(at, at + rowsMax))
}
