import { useTranslation } from 'react-i18next'
import { ApiError } from '../api/client.ts'

/** An error in the reader's language where we know it, in the gateway's own words otherwise. */
export function useErrorText(): (error: unknown) => string {
  const { t } = useTranslation()
  return (error) => {
    if (!(error instanceof ApiError)) return t('error.other', { message: String(error) })
    switch (error.code) {
      case 'wrong_credentials':
      case 'wrong_code':
      case 'code_needed':
      case 'too_many_tries':
      case 'unreachable':
      case 'not_found':
      case 'not_allowed':
        return t(`error.${error.code}`)
      case 'unavailable':
        return t('error.unavailable', { message: error.message })
      default:
        return t('error.other', { message: error.message })
    }
  }
}
