import { useTranslation } from 'react-i18next'
import { requestChanges, tryReasons } from '../../../src/console-api/contract.ts'
import { findCode } from './find-code.ts'
import { useReasonText } from './use-reason-text.ts'

/** What the gateway has noted about a try, in the reader's language: why it was made, what was changed, what came. */
export function useNoteText(): (note: string) => string {
  const { t } = useTranslation()
  const reasonText = useReasonText()
  const pieceText = (piece: string): string => {
    const retry = /^retry after (\S+), (.+)$/.exec(piece)
    if (retry) {
      const [, after = '', rest = ''] = retry
      return `${t('try.retry', { after: reasonText(after) })} · ${pieceText(rest)}`
    }
    const fallback = /^fallback from (.+), (.+)$/.exec(piece)
    if (fallback) {
      const [, model = '', rest = ''] = fallback
      return `${t('try.fallback', { model })} · ${pieceText(rest)}`
    }
    const status = /^answered (\d+)$/.exec(piece)?.[1]
    if (status !== undefined) return t('try.answered', { status })
    const why = findCode(tryReasons, piece)
    if (why !== undefined) return t(`try.${why}`)
    const space = piece.indexOf(' ')
    const change = findCode(requestChanges, piece.slice(0, Math.max(space, 0)))
    if (change === undefined) return piece
    return t(`change.${change}`, { field: piece.slice(space + 1).replace(/ to (\S+)$/, ' → $1') })
  }
  return (note) => note.split('; ').map(pieceText).join(' · ')
}
