/** Rows per statement: SQLite allows 32,766 values, and the event loop is blocked while the text is built. */
const rowsMax = 300

/** Inserts any number of rows with as few statements as possible. */
export async function insertAll<Row>(
  rows: readonly Row[],
  insert: (some: Row[]) => Promise<unknown>,
): Promise<void> {
  for (let at = 0; at < rows.length; at += rowsMax) await insert(rows.slice(at, at + rowsMax))
}

/** Deletes the rows of any number of ids, a limited number of ids per statement. */
export async function deleteAll(
  ids: readonly string[],
  remove: (some: string[]) => Promise<unknown>,
): Promise<void> {
  for (let at = 0; at < ids.length; at += rowsMax) await remove(ids.slice(at, at + rowsMax))
}

/** Selects the rows of any number of ids, a limited number of ids per statement. */
export async function selectAll<Row>(
  ids: Iterable<string>,
  select: (some: string[]) => Promise<Row[]>,
): Promise<Row[]> {
  const wanted = [...new Set(ids)]
  const rows: Row[] = []
  for (let at = 0; at < wanted.length; at += rowsMax) {
    for (const row of await select(wanted.slice(at, at + rowsMax))) rows.push(row)
  }
  return rows
}
