import { useTranslation } from 'react-i18next'
import type { AttemptNote } from '../../../src/console-api/contract.ts'
import { useReasonText } from './use-reason-text.ts'

/** Note about an attempt: why it was made, what was changed and what the upstream responded. */
export function useNoteText(): (note: AttemptNote | string) => string {
  const { t } = useTranslation()
  const reasonText = useReasonText()
  return (note) => {
    // Earlier versions stored a text.
    if (typeof note === 'string') return note
    const { reason, retryAfter, fallbackFrom, changes = [], answered } = note
    const pieces = [
      retryAfter === undefined ? '' : t('try.retry', { after: reasonText(retryAfter) }),
      fallbackFrom === undefined ? '' : t('try.fallback', { model: fallbackFrom }),
      reason === undefined ? '' : t(`try.${reason}`),
      ...changes.map(({ change, field, to }) =>
        t(`change.${change}`, { field: to === undefined ? field : `${field} → ${to}` }),
      ),
      answered === undefined ? '' : t('try.answered', { status: answered }),
    ]
    return pieces.filter((piece) => piece !== '').join(' · ')
  }
}
