import { useTranslation } from 'react-i18next'
import type { CreditLine } from '../../../src/console-api/contract.ts'
import { useKnownText } from './use-known-text.ts'
import { useOriginText } from './use-origin-text.ts'

/** The reason of a credit: translated if the gateway wrote it, otherwise as a person entered it. */
export function useCreditText(): (credit: CreditLine) => string {
  const knownText = useKnownText()
  const originText = useOriginText()
  const { t } = useTranslation()
  return ({ reason, source, isReversal }) => {
    const text = reason === '' ? originText(source) : (knownText(`credit.${reason}`) ?? reason)
    return isReversal ? t('creditOf.reversal', { reason: text }) : text
  }
}
