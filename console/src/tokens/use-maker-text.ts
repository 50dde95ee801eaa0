import { useTranslation } from 'react-i18next'
import type { TokenRow } from '../../../src/console-api/contract.ts'

/** Who has created a token, as far as the reader may know. */
export function useMakerText(): (row: TokenRow) => string {
  const { t } = useTranslation()
  return ({ makerKind, makerName }) => {
    if (makerName === null) return t(`tokens.maker.${makerKind}`)
    return makerKind === 'token' ? t('tokens.makerToken', { name: makerName }) : makerName
  }
}
