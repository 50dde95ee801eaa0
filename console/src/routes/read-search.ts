/** Takes the named texts out of an address, and leaves out what is empty or something else. */
export function readSearch<Name extends string>(
  names: readonly Name[],
  search: Record<string, unknown>,
): Partial<Record<Name, string>> {
  const found: Partial<Record<Name, string>> = {}
  for (const name of names) {
    const value = search[name]
    // The router reads a bare number or truth value in an address as what it looks like.
    const isBare = typeof value === 'number' || typeof value === 'boolean'
    const text = isBare ? String(value) : value
    if (typeof text === 'string' && text !== '') found[name] = text
  }
  return found
}
