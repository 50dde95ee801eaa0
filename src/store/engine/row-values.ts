/**
 * Both drivers return 64-bit integers as bigints. Money stays a bigint; all other integers become numbers, so that a
 * time or a count is never confused with an amount.
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
