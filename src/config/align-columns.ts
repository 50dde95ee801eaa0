/**
 * Formats rows of cells as lines, every column but the last padded to its widest cell. `widths` has the widths of
 * earlier rows and is updated.
 */
export function alignColumns(
  rows: readonly (readonly string[])[],
  widths: number[] = [],
): string[] {
  for (const row of rows) {
    row.forEach((cell, index) => {
      widths[index] = Math.max(widths[index] ?? 0, cell.length)
    })
  }
  return rows.map((row) =>
    row
      .map((cell, index) => (index === row.length - 1 ? cell : cell.padEnd(widths[index] ?? 0)))
      .join('  ')
      .trimEnd(),
  )
}
