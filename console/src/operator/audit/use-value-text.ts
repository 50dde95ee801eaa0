import { useTranslation } from 'react-i18next'
import { protocolLabel } from '../../codes/protocol-label.ts'
import { useFieldText } from '../../codes/use-field-text.ts'
import { useKnownText } from '../../codes/use-known-text.ts'
import { formatDollars } from '../../format/dollars.ts'
import { formatList } from '../../format/lists.ts'
import { formatMoment } from '../../format/times.ts'

/** Words that another page has texts for, by field. */
const families: ReadonlyMap<string, string> = new Map([
  ['channel', 'alerts.channel'],
  ['kinds', 'alerts.kind'],
  ['proof', 'people.proof'],
  ['reason', 'credit'],
  ['scopes', 'tokens.scope'],
])

/** Formats a logged value: amounts, times, lists and known words for people, everything else unchanged. */
export function useValueText(): (path: string, text: string) => string {
  const { t, i18n } = useTranslation()
  const fieldText = useFieldText()
  const knownText = useKnownText()
  const wordText = (name: string, word: string): string => {
    const family = families.get(name) ?? `value.${name}`
    return knownText(`${family}.${word}`) ?? (name === 'protocol' ? protocolLabel(word) : word)
  }
  const memberTexts = (entry: object) =>
    Object.entries(entry)
      .filter(([, value]) => value !== null)
      .map(([field, value]) =>
        t('error.inField', {
          field: fieldText(field),
          message: valueText(field, typeof value === 'string' ? value : JSON.stringify(value)),
        }),
      )
  const valueText = (path: string, text: string): string => {
    const name = path.split('.').at(-1) ?? ''
    if (name.endsWith('Nano') && /^-?\d+$/.test(text)) return formatDollars(text)
    if (/(At|AtMs|_at|From|until)$/.test(name) && /^\d{12,14}$/.test(text)) {
      return formatMoment(Number(text), i18n.language)
    }
    const entries = listOf(text)
    if (entries?.every((entry) => typeof entry === 'string')) {
      return formatList(
        entries.map((entry) => wordText(name, entry)),
        i18n.language,
      )
    }
    if (entries?.every((entry) => typeof entry === 'object' && entry !== null)) {
      return entries.map((entry) => memberTexts(entry).join(' · ')).join('\n')
    }
    const isFlag = text === 'true' || text === 'false'
    return isFlag ? (knownText(`value.${text}`) ?? text) : wordText(name, text)
  }
  return valueText
}

/** The entries of a list in JSON; undefined for any other text. */
function listOf(text: string): readonly unknown[] | undefined {
  if (!text.startsWith('[')) return undefined
  try {
    const value: unknown = JSON.parse(text)
    return Array.isArray(value) && value.length > 0 ? value : undefined
  } catch {
    return undefined
  }
}
