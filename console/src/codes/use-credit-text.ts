import { useTranslation } from 'react-i18next'
import { type CreditLine, creditReasons } from '../../../src/console-api/contract.ts'
import { useOriginText } from './use-origin-text.ts'

type ReasonName = keyof typeof creditReasons
const reasonNames = Object.keys(creditReasons) as ReasonName[]

/** The reason of a credit: translated if the gateway wrote it, otherwise as a person entered it. */
export function useCreditText(): (credit: CreditLine) => string {
  const originText = useOriginText()
  const { t } = useTranslation()
  const reasonText = (reason: string) => {
    const name = reasonNames.find((each) => creditReasons[each] === reason)
    return name === undefined ? reason : t(`credit.${name}`)
  }
  return ({ reason, source, isReversal }) => {
    const text = reason === '' ? originText(source) : reasonText(reason)
    return isReversal ? t('credit.reversal', { reason: text }) : text
  }
}
