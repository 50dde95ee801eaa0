import { LabelTree } from '../../telemetry/label-tree.ts'

const other = 'other'

/**
 * Limits the combinations of label values that a metric gets. Further combinations count as `other` in every label,
 * except the first `kept` labels, whose values come from the program's own vocabulary. So sums stay right.
 */
export function boundedLabels(
  combinationsMax: number,
  kept = 0,
): (...values: readonly string[]) => readonly string[] {
  const known = new LabelTree(combinationsMax, (values) => values)
  return (...values) =>
    known.find(values) ?? values.map((value, index) => (index < kept ? value : other))
}
