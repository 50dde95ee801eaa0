import type { FoundProblem } from '../../../../src/fields/find-problem.ts'
import { type ValueProblem, valuesOf } from '../../../../src/fields/problems.ts'
import { useKnownText } from '../../codes/use-known-text.ts'

/** The problem of a field in the user's language; null if there is none. */
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
