/**
 * Both drivers hand out 64-bit integers as bigints. Money stays one; everything else fits a number, and is
 * one, so that a time or a count is never mixed up with an amount.
 */
export function readRows(rows: readonly Record<string, unknown>[]): Record<string, unknown>[] {
  return rows.map((row) => {
    const read: Record<string, unknown> = {}
    for (const name in row) {
      const value = row[name]
      read[name] = typeof value === 'bigint' && !name.endsWith('_nano') ? Number(value) : value
    }
    return read
  })
}
