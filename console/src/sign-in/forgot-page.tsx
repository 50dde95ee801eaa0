import { Alert, Button, Paper, Stack, Text, Title } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { useSearch } from '@tanstack/react-router'
import { type FormEvent, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { call } from '../api/client.ts'
import { IconMail } from '../icons/icons.ts'
import { ProblemText } from '../parts/feedback/problem-text.tsx'
import { useErrorText } from '../parts/feedback/use-error-text.ts'
import { ButtonLink } from '../parts/page/button-link.tsx'
import { EmailInput } from './email-input.tsx'
import { SignedOutPage } from './signed-out-page.tsx'

/** Asks for an email with a reset link. The answer is the same for every address. */
export function ForgotPage() {
  const { t } = useTranslation()
  const errorText = useErrorText()
  const { account } = useSearch({ from: '/forgot-password' })
  const [email, setEmail] = useState('')
  const [isIncomplete, setIncomplete] = useState(false)
  const ask = useMutation({
    mutationFn: () =>
      call('POST /password-reset/request', {
        body: { email, ...(account !== undefined && { account }) },
      }),
  })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    setIncomplete(email === '')
    if (email !== '') ask.mutate()
  }
  return (
    <SignedOutPage>
      {ask.isSuccess && (
        <Alert icon={<IconMail />} color="teal" title={t('forgot.sentTitle')} role="status">
          {t('forgot.sent')}
        </Alert>
      )}
      <Paper withBorder p="xl">
        <form onSubmit={submit} noValidate>
          <Stack>
            <Title order={1} fz="h3">
              {t('forgot.title')}
            </Title>
            <Text size="sm">{t('forgot.text')}</Text>
            <EmailInput
              value={email}
              onChange={setEmail}
              error={isIncomplete && email === '' ? t('rule.email_wrong') : undefined}
            />
            {ask.error && <ProblemText>{errorText(ask.error)}</ProblemText>}
            <Button type="submit" loading={ask.isPending}>
              {t('forgot.submit')}
            </Button>
            <ButtonLink
              to="/sign-in"
              search={account === undefined ? {} : { account }}
              variant="subtle"
            >
              {t('forgot.back')}
            </ButtonLink>
          </Stack>
        </form>
      </Paper>
    </SignedOutPage>
  )
}
