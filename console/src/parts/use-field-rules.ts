import { findProblem } from '../../../src/fields/find-problem.ts'
import type { Kind } from '../../../src/fields/kind.ts'
import { useRuleText } from './use-rule-text.ts'

type Rule = (value: unknown) => string | null

interface FieldRules {
  /** Of a value as the APIs carry it. */
  readonly wire: <Value, Wire>(kind: Kind<Value, Wire>) => Rule
  /** Of what a person writes, such as an amount. */
  readonly written: <Value, Wire>(kind: Kind<Value, Wire>) => Rule
  /** An empty field says nothing. */
  readonly ifAny: (rule: Rule) => Rule
}

/** The rules of fields by their kinds, as forms want them: what is wrong, in the reader's language. */
export function useFieldRules(): FieldRules {
  const ruleText = useRuleText()
  return {
    wire: (kind) => (value) => ruleText(findProblem(kind.wire, value)),
    written: (kind) => (value) => ruleText(findProblem(kind.written, value)),
    ifAny: (rule) => (value) => (value === '' ? null : rule(value)),
  }
}
