import { useTranslation } from 'react-i18next'
import { auditActions } from '../../../src/console-api/contract.ts'
import { findCode } from './find-code.ts'

export function useActionText(): (action: string) => string {
  const { t } = useTranslation()
  return (action) => {
    const known = findCode(auditActions, action)
    return known === undefined ? action : t(`audit.action.${known}`)
  }
}
