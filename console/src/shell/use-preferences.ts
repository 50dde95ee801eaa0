import { useMantineColorScheme } from '@mantine/core'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useEffect, useRef } from 'react'
import { useTranslation } from 'react-i18next'
import type { BodyOf, Language, SessionAnswer, Theme } from '../../../src/console-api/contract.ts'
import { call } from '../api/client.ts'
import { sessionQuery } from '../api/queries.ts'
import { chooseLanguage } from '../i18n/start-i18n.ts'

/**
 * Language and theme belong to the user: a choice applies here at once, and the gateway stores it for other browsers.
 */
export function usePreferences() {
  const queries = useQueryClient()
  const { setColorScheme } = useMantineColorScheme()
  const keep = async (change: BodyOf<'PATCH /me'>) => {
    const session = queries.getQueryData<SessionAnswer>(sessionQuery.queryKey)
    if (!session?.user) return
    const user = { ...session.user, ...change }
    queries.setQueryData<SessionAnswer>(sessionQuery.queryKey, { ...session, user })
    // The choice applies in this browser even if saving fails.
    await call('PATCH /me', { body: change }).catch(() => undefined)
  }
  return {
    chooseLanguage: async (language: Language) => {
      await chooseLanguage(language)
      await keep({ language })
    },
    chooseTheme: async (theme: Theme) => {
      setColorScheme(theme)
      await keep({ theme })
    },
  }
}

/** Applies the preferences from another browser, once after sign-in. */
export function useFollowPreferences(): void {
  const { i18n } = useTranslation()
  const { colorScheme, setColorScheme } = useMantineColorScheme()
  const user = useQuery(sessionQuery).data?.user
  const followed = useRef<string>(undefined)
  useEffect(() => {
    if (!user || followed.current === user.id) return
    followed.current = user.id
    if (user.language !== null && user.language !== i18n.language) {
      void chooseLanguage(user.language)
    }
    if (user.theme !== null && user.theme !== colorScheme) setColorScheme(user.theme)
  }, [user, i18n.language, colorScheme, setColorScheme])
}
