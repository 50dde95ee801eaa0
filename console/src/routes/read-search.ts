/** Reads the named search parameters. Empty and non-text values are left out. */
export function readSearch<Name extends string>(
  names: readonly Name[],
  search: Record<string, unknown>,
): Partial<Record<Name, string>> {
  const found: Partial<Record<Name, string>> = {}
  for (const name of names) {
    const value = search[name]
    // The router parses a bare number or boolean.
    const isBare = typeof value === 'number' || typeof value === 'boolean'
    const text = isBare ? String(value) : value
    if (typeof text === 'string' && text !== '') found[name] = text
  }
  return found
}
