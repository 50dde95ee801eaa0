import { findProblem } from '../../../../src/fields/find-problem.ts'
import type { Kind } from '../../../../src/fields/kind.ts'
import { useRuleText } from './use-rule-text.ts'

type Rule = (value: unknown) => string | null

interface FieldRules {
  /** For a value in the form of the APIs. */
  readonly wire: <Value, Wire>(kind: Kind<Value, Wire>) => Rule
  /** For a value as a person types it, such as an amount. */
  readonly written: <Value, Wire>(kind: Kind<Value, Wire>) => Rule
  /** Skips the rule for an empty field. */
  readonly ifAny: (rule: Rule) => Rule
}

/** Validation rules for forms, from the kinds of the fields, with messages in the user's language. */
export function useFieldRules(): FieldRules {
  const ruleText = useRuleText()
  return {
    wire: (kind) => (value) => ruleText(findProblem(kind.wire, value)),
    written: (kind) => (value) => ruleText(findProblem(kind.written, value)),
    ifAny: (rule) => (value) => (value === '' ? null : rule(value)),
  }
}
