const numbered = new Map<string, string>()

/**
 * Replaces `?` by `$1`, `$2` and so on, so that units are written once for both engines. The SQL of the gateway has no
 * question mark inside a string.
 */
export function numberPlaceholders(sql: string): string {
  let text = numbered.get(sql)
  if (text === undefined) {
    let count = 0
    text = sql.replace(/\?/g, () => {
      count += 1
      return `$${count}`
    })
    numbered.set(sql, text)
  }
  return text
}
