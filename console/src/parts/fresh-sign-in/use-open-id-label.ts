import { useTranslation } from 'react-i18next'
import { defaultSignInLabel } from '../../../../src/console-api/contract.ts'

/** The label of the sign-in button: in the user's language unless the operator has set one. */
export function useOpenIdLabel(): (label: string) => string {
  const { t } = useTranslation()
  return (label) => (label === defaultSignInLabel ? t('signIn.label') : label)
}
