import { useTranslation } from 'react-i18next'
import { warningEndings } from '../../../src/console-api/contract.ts'

const longestFirst = [...warningEndings].sort((one, other) => other.length - one.length)

/** A warning of a translation, such as `temperature_dropped`, in the user's language. */
export function useWarningText(): (warning: string) => string {
  const { t } = useTranslation()
  return (warning) => {
    const [, model, asked] = /^model_(.+)_for_(.+)$/.exec(warning) ?? []
    if (model !== undefined && asked !== undefined) return t('warning.model', { model, asked })
    const ending = longestFirst.find((each) => warning.endsWith(`_${each}`))
    if (ending === undefined) return warning
    const field = warning.slice(0, -ending.length - 1)
    return t('error.inField', { field, message: t(`warning.${ending}`) })
  }
}
