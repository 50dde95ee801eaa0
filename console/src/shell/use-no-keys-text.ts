import { useTranslation } from 'react-i18next'
import { useOneAccount } from './use-one-account.ts'

/** Why a user cannot have keys, and whom to ask. */
export function useNoKeysText(): string {
  const { t } = useTranslation()
  const hasAccount = useOneAccount() !== undefined
  return hasAccount ? t('keys.noneText') : t('account.noneText')
}
