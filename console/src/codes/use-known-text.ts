import { useCallback } from 'react'
import { useTranslation } from 'react-i18next'
import type { Words } from '../i18n/en.ts'
import type { LateWords } from '../i18n/en-late.ts'

type Key = keyof (Words & LateWords)

/** The text of a key; undefined for a key of another gateway version. */
export function useKnownText(): (
  key: string,
  values?: Readonly<Record<string, string | number>>,
) => string | undefined {
  const { t, i18n } = useTranslation()
  return useCallback(
    (key, values = {}) => {
      const isKnown = (text: string): text is Key => i18n.exists(text)
      return isKnown(key) ? t(key, values) : undefined
    },
    [t, i18n],
  )
}
