import { useTranslation } from 'react-i18next'
import { ApiError } from '../../api/client.ts'
import { useFieldText } from '../../codes/use-field-text.ts'
import { useKnownText } from '../../codes/use-known-text.ts'

/** For these codes the message follows the name of the field. */
const inField: ReadonlySet<string> = new Set(['invalid_request', 'unfit', 'unprocessable'])

/** The message of an error in the user's language, from its code and its detail. */
export function useErrorText(): (error: unknown) => string {
  const { t } = useTranslation()
  const fieldText = useFieldText()
  const detailText = useDetailText()
  return (error) => {
    if (!(error instanceof ApiError)) return t('error.other', { message: String(error) })
    const { code, field, status } = error
    const message = detailText(error)
    const isAboutField = inField.has(code) && field !== undefined
    if (isAboutField) return t('error.inField', { field: fieldText(field), message })
    return t(`error.${code}`, { message, status })
  }
}

/** Only the detail, for a form that shows the message at the field. */
export function useDetailText(): (error: ApiError) => string {
  const knownText = useKnownText()
  return ({ detail, values, message }) =>
    knownText(`rule.${detail}`, values) ?? knownText(`detail.${detail}`, values) ?? message
}
