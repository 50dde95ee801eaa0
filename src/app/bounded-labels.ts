const other = 'other'

/**
 * Limits the combinations of label values that a metric gets. Further combinations count as `other` in every label,
 * except the first `kept` labels, whose values come from the program's own vocabulary. So sums stay right.
 */
export function boundedLabels(
  combinationsMax: number,
  kept = 0,
): (...values: readonly string[]) => readonly string[] {
  const known = new Map<string, readonly string[]>()
  return (...values) => {
    // Ids contain no line break, so different combinations have different texts.
    const name = values.join('\n')
    const found = known.get(name)
    if (found) return found
    if (known.size >= combinationsMax)
      return values.map((value, index) => (index < kept ? value : other))
    known.set(name, values)
    return values
  }
}
