import { useCallback } from 'react'
import { useTranslation } from 'react-i18next'
import type { Texts } from '../i18n/en.ts'
import type { LazyTexts } from '../i18n/en-lazy.ts'

type Key = keyof (Texts & LazyTexts)

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
