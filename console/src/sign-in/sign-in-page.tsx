import { Alert, Button, Paper, Stack, Text, TextInput, Title } from '@mantine/core'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useNavigate, useRouteContext, useSearch } from '@tanstack/react-router'
import { type FormEvent, useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { BodyOf, SessionAnswer } from '../../../src/console-api/contract.ts'
import { ApiError, call } from '../api/client.ts'
import { canUsePasskeys } from '../api/passkeys.ts'
import { sessionQuery } from '../api/queries.ts'
import { IconFingerprint, IconLinkOff } from '../icons/icons.ts'
import { ProblemText } from '../parts/feedback/problem-text.tsx'
import { useErrorText } from '../parts/feedback/use-error-text.ts'
import { SecretInput } from '../parts/forms/secret-input.tsx'
import { useOpenIdLabel } from '../parts/fresh-sign-in/use-open-id-label.ts'
import { usePasskeyError } from '../parts/fresh-sign-in/use-passkey-error.ts'
import { ButtonLink } from '../parts/page/button-link.tsx'
import { CommandText } from './command-text.tsx'
import { EmailInput } from './email-input.tsx'
import { forgetInvited } from './invited-account.ts'
import { openIdProblemText } from './open-id-problem.ts'
import { SignedOutPage } from './signed-out-page.tsx'
import { usePasskeySignIn } from './use-passkey-sign-in.ts'

export function SignInPage() {
  const { t } = useTranslation()
  const errorText = useErrorText()
  const { linkError } = useRouteContext({ from: '/sign-in' })
  const { problem, account } = useSearch({ from: '/sign-in' })
  const isSpent = linkError?.code === 'link_spent'
  return (
    <SignedOutPage>
      {linkError && (
        <Alert
          icon={<IconLinkOff />}
          color="orange"
          title={isSpent ? t('signIn.linkSpentTitle') : t('error.title')}
        >
          {isSpent ? <CommandText text="signIn.linkSpent" /> : errorText(linkError)}
        </Alert>
      )}
      {problem !== undefined && (
        <Alert icon={<IconLinkOff />} color="orange" title={t('signIn.openIdTitle')}>
          {t(openIdProblemText(problem))}
        </Alert>
      )}
      <Paper withBorder p="xl">
        <SignInForm account={account} />
      </Paper>
      <Text size="sm" c="dimmed">
        <CommandText text="signIn.noPassword" />
      </Text>
    </SignedOutPage>
  )
}

function SignInForm({ account }: { account: string | undefined }) {
  const { t } = useTranslation()
  const errorText = useErrorText()
  const openIdLabel = useOpenIdLabel()
  const navigate = useNavigate()
  const queries = useQueryClient()
  const [email, setEmail] = useState('')
  const [password, setPassword] = useState('')
  const [code, setCode] = useState('')
  const [needsCode, setNeedsCode] = useState(false)
  const [isIncomplete, setIncomplete] = useState(false)
  const passkeyError = usePasskeyError()
  const { openId, hasMail, passkeyOrigin } = useQuery(sessionQuery).data ?? {}
  const enter = async (session: SessionAnswer) => {
    queries.setQueryData(sessionQuery.queryKey, session)
    await navigate({ to: '/' })
  }
  const signIn = useMutation({
    mutationFn: (body: BodyOf<'POST /sign-in'>) => call('POST /sign-in', { body }),
    onSuccess: enter,
    onError: (error) => {
      if (!isOf(error, 'code_needed')) return
      setNeedsCode(true)
      setIncomplete(false)
    },
  })
  const hasPasskeys = canUsePasskeys(passkeyOrigin)
  const byPasskey = usePasskeySignIn({ isOn: hasPasskeys, onStart: signIn.reset, onSuccess: enter })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    byPasskey.reset()
    const isMissing = email === '' || password === '' || (needsCode && code.trim() === '')
    setIncomplete(isMissing)
    if (isMissing) return signIn.reset()
    signIn.mutate({
      email,
      password,
      ...(code !== '' && { code: code.trim() }),
      ...(account !== undefined && { account }),
    })
  }
  const missing = (value: string, text: string) =>
    isIncomplete && value.trim() === '' ? text : undefined
  const problem = isOf(signIn.error, 'code_needed') ? null : signIn.error
  return (
    <form onSubmit={submit} noValidate>
      <Stack>
        <div>
          <Title order={1} fz="h3">
            {t('signIn.title')}
          </Title>
          <Text size="sm" c="dimmed">
            {account === undefined ? t('signIn.welcome') : t('signIn.invitedTo', { account })}
          </Text>
        </div>
        <EmailInput
          value={email}
          onChange={setEmail}
          hasPasskeys={hasPasskeys}
          error={missing(email, t('rule.email_wrong'))}
        />
        <SecretInput
          label={t('signIn.password')}
          autoComplete="current-password"
          required
          withAsterisk={false}
          value={password}
          error={missing(password, t('signIn.passwordNeeded'))}
          onChange={(event) => setPassword(event.currentTarget.value)}
        />
        {needsCode && (
          <TextInput
            label={t('fresh.code')}
            description={t('fresh.codeHint')}
            autoComplete="one-time-code"
            autoFocus
            value={code}
            error={missing(code, t('rule.code_wrong'))}
            onChange={(event) => setCode(event.currentTarget.value)}
          />
        )}
        {(problem ?? byPasskey.error) && (
          <ProblemText>{problem ? errorText(problem) : passkeyError(byPasskey.error)}</ProblemText>
        )}
        {account === undefined && isOf(problem, 'wrong_credentials') && (
          <Text size="sm">{t('signIn.invitedHint')}</Text>
        )}
        <Button type="submit" loading={signIn.isPending}>
          {t('signIn.submit')}
        </Button>
        {hasMail && (
          <ButtonLink
            to="/forgot-password"
            search={account === undefined ? {} : { account }}
            variant="subtle"
          >
            {t('signIn.forgot')}
          </ButtonLink>
        )}
        {hasPasskeys && (
          <Button
            variant="default"
            leftSection={<IconFingerprint size={18} aria-hidden />}
            loading={byPasskey.isPending}
            onClick={byPasskey.start}
          >
            {t('signIn.passkey')}
          </Button>
        )}
        {openId && (
          <Button component="a" href={openId.url} variant="default">
            {openIdLabel(openId.label)}
          </Button>
        )}
        {account !== undefined && (
          <ButtonLink to="/sign-in" search={{}} variant="subtle" onClick={forgetInvited}>
            {t('signIn.otherUser')}
          </ButtonLink>
        )}
      </Stack>
    </form>
  )
}

/** The password is right: the page asks for the code, which is no error yet. */
function isOf(error: unknown, code: ApiError['code']): boolean {
  return error instanceof ApiError && error.code === code
}
