import { useTranslation } from 'react-i18next'
import { auditActions } from '../../../src/console-api/contract.ts'
import { findCode } from './find-code.ts'

/** What was done, as the audit log has it, in the reader's language. */
export function useActionText(): (action: string) => string {
  const { t } = useTranslation()
  return (action) => {
    const known = findCode(auditActions, action)
    return known === undefined ? action : t(`audit.action.${known}`)
  }
}
