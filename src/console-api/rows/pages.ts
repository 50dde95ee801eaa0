/**
 * Makes a page of rows that were read with one row more than the limit. The extra row is not shown; it only tells that
 * there is a next page.
 */
export function pageOf<Row>(
  found: readonly Row[],
  pageRows: number,
  cursorOf: (row: Row) => string,
): { readonly rows: readonly Row[]; readonly next: string | null } {
  const rows = found.slice(0, pageRows)
  const last = rows.at(-1)
  const next = found.length > pageRows && last !== undefined ? cursorOf(last) : null
  return { rows, next }
}
