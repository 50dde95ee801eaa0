/** Returns the list with one entry moved. */
export function moved<Entry>(entries: readonly Entry[], from: number, to: number): Entry[] {
  const rest = [...entries]
  rest.splice(to, 0, ...rest.splice(from, 1))
  return rest
}
