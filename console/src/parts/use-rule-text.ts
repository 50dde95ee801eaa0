import { useTranslation } from 'react-i18next'
import type { RuleProblem } from '../../../src/console-api/rules.ts'

/** What a rule finds wrong, in the reader's language; null, as forms want it, when it finds nothing. */
export function useRuleText(): (problem: RuleProblem | undefined) => string | null {
  const { t } = useTranslation()
  return (problem) => (problem === undefined ? null : t(`rule.${problem}`))
}
