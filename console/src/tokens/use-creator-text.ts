import { useTranslation } from 'react-i18next'
import type { TokenRow } from '../../../src/console-api/contract.ts'

/** The creator of a token, if the user may know. */
export function useCreatorText(): (row: TokenRow) => string {
  const { t } = useTranslation()
  return ({ makerKind, makerName }) => {
    if (makerName === null) return t(`tokens.maker.${makerKind}`)
    return makerKind === 'token' ? t('tokens.makerToken', { name: makerName }) : makerName
  }
}
