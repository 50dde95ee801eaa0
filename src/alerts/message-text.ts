import type { Language } from '../core/text/language.ts'
import type { Crossings } from './alert-source.ts'
import { type AlertText, alertText } from './alert-texts.ts'
import type { AlertKind } from './definition/alert.ts'
import { type GroupText, groupText, placeTexts } from './group-texts.ts'

/** The text of a message. One about several conditions lists them and leads to the alert in the console. */
export interface MessageText extends AlertText, Pick<GroupText, 'lines' | 'rest'> {
  readonly link?: { readonly label: string; readonly url: string }
  /** Instead of the link. */
  readonly page?: string
}

interface MessageOptions {
  readonly language: Language
  /** The page of the alert in the console. */
  readonly consoleUrl: string | undefined
  readonly listedMax?: number
}

export function messageText(
  kind: AlertKind | 'test',
  crossings: Crossings,
  { language, consoleUrl: url, listedMax }: MessageOptions,
): MessageText {
  const [first, ...others] = crossings
  if (kind === 'test' || others.length === 0)
    return { ...alertText(kind, first, language), lines: [], rest: undefined }
  const { link: label, page } = placeTexts(language)
  const group = groupText(kind, crossings, language, listedMax)
  return url === undefined ? { ...group, page } : { ...group, link: { label, url } }
}
