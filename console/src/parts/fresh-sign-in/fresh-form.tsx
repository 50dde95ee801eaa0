import { Button, Stack, Text, TextInput } from '@mantine/core'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { SignedInUser } from '../../../../src/console-api/contract.ts'
import { findProblem } from '../../../../src/fields/find-problem.ts'
import { passwordKind } from '../../../../src/fields/kinds.ts'
import { passwordCharactersMin } from '../../../../src/fields/problems.ts'
import { ApiError, call } from '../../api/client.ts'
import { answerWithPasskey, canUsePasskeys } from '../../api/passkeys.ts'
import { sessionQuery } from '../../api/queries.ts'
import { IconFingerprint } from '../../icons/icons.ts'
import { ProblemText } from '../feedback/problem-text.tsx'
import { useErrorText } from '../feedback/use-error-text.ts'
import { SecretInput } from '../forms/secret-input.tsx'
import { useRuleText } from '../forms/use-rule-text.ts'
import { rememberPage } from './return-page.ts'
import { useOpenIdLabel } from './use-open-id-label.ts'
import { usePasskeyError } from './use-passkey-error.ts'

/** Asks a user who signed in a while ago for a proof of identity: password and code, a passkey, or the identity provider. */
export function FreshForm({ user, onDone }: { user: SignedInUser; onDone: () => void }) {
  const { t } = useTranslation()
  const errorText = useErrorText()
  const ruleText = useRuleText()
  const openIdLabel = useOpenIdLabel()
  const queries = useQueryClient()
  const passkeyError = usePasskeyError()
  const { openId, passkeyOrigin } = useQuery(sessionQuery).data ?? {}
  const canProve = user.hasPasskey && canUsePasskeys(passkeyOrigin)
  const hasOtherProof = user.hasPasskey || user.hasOpenId || user.source === 'open-id'
  // A user without password, passkey and identity provider sets a password here.
  const needsForm = user.hasPassword || !hasOtherProof
  const passkeyText = canProve
    ? t('fresh.textPasskey')
    : t('fresh.passkeyElsewhere', { origin: `${passkeyOrigin}/console` })
  const formText = user.hasPassword ? t('fresh.text') : t('fresh.noPassword')
  const withoutForm = user.hasPasskey ? passkeyText : t('fresh.textOpenId')
  const text = needsForm ? formText : withoutForm
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
  const proveByPasskey = async () => {
    setPending(true)
    setError(undefined)
    try {
      const question = await call('POST /reauthenticate/passkey/start', {})
      await call('POST /reauthenticate/passkey', { body: await answerWithPasskey(question) })
      await queries.invalidateQueries({ queryKey: sessionQuery.queryKey })
      onDone()
    } catch (failure) {
      setError(passkeyError(failure))
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
        <Text size="sm">{text}</Text>
        {needsForm && (
          <SecretInput
            label={user.hasPassword ? t('fresh.password') : t('fresh.newPassword')}
            {...(!user.hasPassword && {
              description: t('password.length', { min: passwordCharactersMin }),
            })}
            autoComplete={user.hasPassword ? 'current-password' : 'new-password'}
            value={password}
            onChange={(event) => setPassword(event.currentTarget.value)}
            data-autofocus
          />
        )}
        {needsForm && user.hasTotp && (
          <TextInput
            label={t('fresh.code')}
            description={t('fresh.codeHint')}
            autoComplete="one-time-code"
            value={code}
            onChange={(event) => setCode(event.currentTarget.value)}
          />
        )}
        {error !== undefined && <ProblemText>{error}</ProblemText>}
        {needsForm && (
          <Button type="submit" loading={isPending}>
            {t('fresh.submit')}
          </Button>
        )}
        {canProve && (
          <Button
            variant={needsForm ? 'default' : 'filled'}
            leftSection={<IconFingerprint size={18} aria-hidden />}
            loading={isPending}
            onClick={() => void proveByPasskey()}
            data-autofocus={needsForm ? undefined : true}
          >
            {t('fresh.passkey')}
          </Button>
        )}
        {openId && (
          <Button
            component="a"
            href={`${openId.url}?fresh=true`}
            variant="default"
            onClick={rememberPage}
          >
            {openIdLabel(openId.label)}
          </Button>
        )}
      </Stack>
    </form>
  )
}
