import { useTranslation } from 'react-i18next'
import { useKnownText } from './use-known-text.ts'

/** The name of a field such as `price.inputNano` in the user's language. An unknown name is returned unchanged. */
export function useFieldText(): (path: string) => string {
  const { t } = useTranslation()
  const knownText = useKnownText()
  const fieldText = (path: string): string => {
    if (path === '') return t('field.whole')
    const [name = ''] = path.split('.', 1)
    const known = knownText(`field.${name}`)
    if (known === undefined) return path
    const rest = path.slice(name.length + 1)
    return rest === '' ? known : `${known} · ${fieldText(rest)}`
  }
  return fieldText
}
