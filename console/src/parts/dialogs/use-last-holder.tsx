import { useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import { ApiError } from '../../api/client.ts'
import { sessionQuery } from '../../api/queries.ts'
import { useConfirm } from './use-confirm.tsx'

interface Forced {
  readonly force?: 'true'
}

type RunForced = <Answer>(change: (query: Forced) => Promise<Answer>) => Promise<Answer>

/**
 * Runs a change of a user. If no administrator who can sign in, or no owner of an account, would be left, an
 * administrator is asked and can insist; without a confirmation the change stays refused. The second value is the
 * dialog to render.
 */
export function useLastHolder(): [RunForced, ReactNode] {
  const { t } = useTranslation()
  const isAdmin = useQuery(sessionQuery).data?.user?.role === 'admin'
  const [ask, dialog] = useConfirm()
  const run: RunForced = async (change) => {
    try {
      return await change({})
    } catch (error) {
      const text = isAdmin && error instanceof ApiError ? textOf(error) : undefined
      if (text === undefined) throw error
      const isSure = await new Promise<boolean>((resolve) => {
        const title = t('lastHolder.title')
        const action = t('lastHolder.insist')
        ask({ title, text, action, onYes: () => resolve(true), onNo: () => resolve(false) })
      })
      if (!isSure) throw error
      return change({ force: 'true' })
    }
  }
  const textOf = ({ detail, values }: ApiError) => {
    if (detail === 'last_admin') return t('lastHolder.admin')
    return detail === 'last_owner' ? t('lastHolder.owner', { ...values }) : undefined
  }
  return [run, dialog]
}
