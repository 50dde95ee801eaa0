import { useTranslation } from 'react-i18next'
import { ApiError } from '../../api/client.ts'
import { PasskeyUnused } from '../../api/passkeys.ts'
import { useErrorText } from '../feedback/use-error-text.ts'

/** The message of an error of a passkey, which may come from the browser or from the gateway. */
export function usePasskeyError(): (error: unknown) => string {
  const { t } = useTranslation()
  const errorText = useErrorText()
  return (error) => {
    if (error instanceof PasskeyUnused) return t(`passkey.${error.reason}`)
    const isRefused = error instanceof ApiError && error.code === 'wrong_credentials'
    return isRefused ? t('passkey.refused') : errorText(error)
  }
}
