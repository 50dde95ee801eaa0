import { Button, Stack, Text, TextInput } from '@mantine/core'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { type FormEvent, type ReactNode, useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { SignedInUser } from '../../../src/console-api/contract.ts'
import { findProblem } from '../../../src/fields/find-problem.ts'
import { passwordKind } from '../../../src/fields/kinds.ts'
import { ApiError, call } from '../api/client.ts'
import { sessionQuery } from '../api/queries.ts'
import { Dialog } from './dialog.tsx'
import { SecretInput } from './secret-input.tsx'
import { useErrorText } from './use-error-text.ts'
import { useRuleText } from './use-rule-text.ts'

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

function FreshModal(props: {
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
}

function FreshForm({ user, onDone }: { user: SignedInUser; onDone: () => void }) {
  const { t } = useTranslation()
  const errorText = useErrorText()
  const ruleText = useRuleText()
  const queries = useQueryClient()
  const [password, setPassword] = useState('')
  const [code, setCode] = useState('')
  const [error, setError] = useState<string>()
  const [isPending, setPending] = useState(false)
  const send = async () => {
    const problem = user.hasPassword ? undefined : findProblem(passwordKind.wire, password)
    if (problem !== undefined) return setError(ruleText(problem) ?? '')
    setPending(true)
    try {
      if (!user.hasPassword) await call('POST /password', { body: { password } })
      await call('POST /reauthenticate', { body: { password, ...(user.hasTotp && { code }) } })
      await queries.invalidateQueries({ queryKey: sessionQuery.queryKey })
      onDone()
    } catch (failure) {
      const isWrong = failure instanceof ApiError && failure.code === 'wrong_credentials'
      setError(isWrong ? t('error.wrong_password') : errorText(failure))
    } finally {
      setPending(false)
    }
  }
  const submit = (event: FormEvent) => {
    event.preventDefault()
    void send()
  }
  return (
    <form onSubmit={submit}>
      <Stack>
        <Text size="sm">{user.hasPassword ? t('fresh.text') : t('fresh.noPassword')}</Text>
        <SecretInput
          label={t('fresh.password')}
          autoComplete={user.hasPassword ? 'current-password' : 'new-password'}
          value={password}
          onChange={(event) => setPassword(event.currentTarget.value)}
          data-autofocus
        />
        {user.hasTotp && (
          <TextInput
            label={t('fresh.code')}
            autoComplete="one-time-code"
            inputMode="numeric"
            value={code}
            onChange={(event) => setCode(event.currentTarget.value)}
          />
        )}
        {error !== undefined && (
          <Text size="sm" c="red" role="alert">
            {error}
          </Text>
        )}
        <Button type="submit" loading={isPending}>
          {t('fresh.submit')}
        </Button>
      </Stack>
    </form>
  )
}
