import { useTranslation } from 'react-i18next'
import { useKnownText } from '../../codes/use-known-text.ts'
import { formatDollars } from '../../format/dollars.ts'
import { formatMoment } from '../../format/times.ts'

/** Formats a logged value: amounts, times and known words for people, everything else unchanged. */
export function useValueText(): (path: string, text: string) => string {
  const { i18n } = useTranslation()
  const knownText = useKnownText()
  return (path, text) => {
    const name = path.split('.').at(-1) ?? ''
    if (name.endsWith('Nano') && /^-?\d+$/.test(text)) return formatDollars(text)
    if (/(At|AtMs|_at|From|until)$/.test(name) && /^\d{12,14}$/.test(text)) {
      return formatMoment(Number(text), i18n.language)
    }
    const isFlag = text === 'true' || text === 'false'
    return (isFlag ? knownText(`value.${text}`) : knownText(`value.${name}.${text}`)) ?? text
  }
}
