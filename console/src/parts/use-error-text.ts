import { useTranslation } from 'react-i18next'
import { ApiError } from '../api/client.ts'

/** An error in the reader's language by its code; where the gateway knows more than that, its own words stand behind. */
export function useErrorText(): (error: unknown) => string {
  const { t } = useTranslation()
  return (error) => {
    if (!(error instanceof ApiError)) return t('error.other', { message: String(error) })
    return t(`error.${error.code}`, { message: error.message })
  }
}
