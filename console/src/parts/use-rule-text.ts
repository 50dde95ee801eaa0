import type { FoundProblem } from '../../../src/fields/find-problem.ts'
import { type ValueProblem, valuesOf } from '../../../src/fields/problems.ts'
import { useKnownText } from '../codes/use-known-text.ts'

/** What is wrong with a field, in the reader's language; null, as forms want it, when nothing is. */
export function useRuleText(): (
  found: ValueProblem | Pick<FoundProblem, 'problem' | 'values'> | undefined,
) => string | null {
  const knownText = useKnownText()
  return (found) => {
    if (found === undefined) return null
    const { problem, values } =
      typeof found === 'string' ? { problem: found, values: valuesOf(found, { min: 1 }) } : found
    return knownText(`rule.${problem}`, values) ?? problem
  }
}
