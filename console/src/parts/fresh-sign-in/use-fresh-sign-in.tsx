import { useQuery } from '@tanstack/react-query'
import { type ReactNode, useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { SignedInUser } from '../../../../src/console-api/contract.ts'
import { ApiError } from '../../api/client.ts'
import { sessionQuery } from '../../api/queries.ts'
import { Dialog } from '../dialogs/dialog.tsx'
import { memoized } from '../forms/memoized.tsx'
import { FreshForm } from './fresh-form.tsx'

type RunFresh = <Answer>(action: () => Promise<Answer>) => Promise<Answer | undefined>

interface Waiting {
  readonly resolve: (isFresh: boolean) => void
}

/**
 * Some actions need a sign-in within the last few minutes. Runs an action; if the gateway asks for it, asks for the
 * password and runs the action again. Resolves to undefined if the user cancels. The second value is the dialog to
 * render.
 */
export function useFreshSignIn(): [RunFresh, ReactNode] {
  const user = useQuery(sessionQuery).data?.user ?? undefined
  const [isOpen, setOpen] = useState(false)
  const waiting = useRef<Waiting>(undefined)
  const run: RunFresh = async (action) => {
    try {
      return await action()
    } catch (error) {
      if (!(error instanceof ApiError && error.code === 'reauthenticate')) throw error
    }
    const isFresh = await new Promise<boolean>((resolve) => {
      waiting.current = { resolve }
      setOpen(true)
    })
    return isFresh ? action() : undefined
  }
  const end = (isFresh: boolean) => {
    setOpen(false)
    waiting.current?.resolve(isFresh)
    waiting.current = undefined
  }
  return [run, <FreshModal key="fresh" isOpen={isOpen} user={user} onEnd={end} />]
}

const FreshModal = memoized(function FreshModal(props: {
  isOpen: boolean
  user: SignedInUser | undefined
  onEnd: (isFresh: boolean) => void
}) {
  const { t } = useTranslation()
  return (
    <Dialog
      isOpen={props.isOpen}
      onClose={() => props.onEnd(false)}
      title={t('fresh.title')}
      zIndex={400}
    >
      {props.user && <FreshForm user={props.user} onDone={() => props.onEnd(true)} />}
    </Dialog>
  )
})
