/** Removes undefined members from search parameters. */
export function cleanSearch(
  search: Readonly<Record<string, string | undefined>>,
): Record<string, string> {
  const kept: Record<string, string> = {}
  for (const [name, value] of Object.entries(search)) {
    if (value !== undefined && value !== '') kept[name] = value
  }
  return kept
}
