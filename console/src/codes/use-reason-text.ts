import { useCallback } from 'react'
import { useTranslation } from 'react-i18next'
import { requestReasons } from '../../../src/console-api/contract.ts'
import { findCode } from './find-code.ts'

/** Why a request or an attempt failed. */
export function useReasonText(): (code: string) => string {
  const { t } = useTranslation()
  return useCallback(
    (code) => {
      const known = findCode(requestReasons, code)
      return known === undefined ? code : t(`reason.${known}`)
    },
    [t],
  )
}
