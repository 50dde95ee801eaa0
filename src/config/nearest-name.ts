/**
 * The valid name that a mistyped name most likely means: one a few typing errors away, or one of the two is the start
 * of the other.
 */
export function nearestName(typed: string, valid: readonly string[]): string | undefined {
  const wanted = typed.toLowerCase()
  const distanceMax = Math.max(1, Math.floor(wanted.length / 3))
  let nearest: string | undefined
  let fewest = distanceMax + 1
  for (const name of valid) {
    const distance = editDistance(wanted, name.toLowerCase())
    if (distance < fewest) {
      fewest = distance
      nearest = name
    }
  }
  if (nearest !== undefined || wanted.length < 3) return nearest
  return valid.find((name) => {
    const candidate = name.toLowerCase()
    return candidate.startsWith(wanted) || wanted.startsWith(candidate)
  })
}

/** `; did you mean "brand"?`, or the list of valid names. Ends the sentence either way. */
export function suggestName(typed: string, valid: readonly string[]): string {
  const nearest = nearestName(typed, valid)
  if (nearest !== undefined) return `; did you mean "${nearest}"?`
  return valid.length === 0 ? '.' : `; the valid names are ${valid.join(', ')}.`
}

/** The number of insertions, deletions, replacements and swaps of neighbours that turn one word into the other. */
function editDistance(left: string, right: string): number {
  let beforeLast: number[] = []
  let last = Array.from({ length: right.length + 1 }, (_, column) => column)
  for (let row = 1; row <= left.length; row += 1) {
    const current = [row]
    for (let column = 1; column <= right.length; column += 1) {
      const isEqual = left[row - 1] === right[column - 1]
      const isSwap = left[row - 1] === right[column - 2] && left[row - 2] === right[column - 1]
      const choices = [
        (last[column] ?? 0) + 1,
        (current[column - 1] ?? 0) + 1,
        (last[column - 1] ?? 0) + (isEqual ? 0 : 1),
      ]
      if (row > 1 && column > 1 && isSwap) choices.push((beforeLast[column - 2] ?? 0) + 1)
      current.push(Math.min(...choices))
    }
    beforeLast = last
    last = current
  }
  return last[right.length] ?? 0
}
