import { Alert, Paper, Stack, Text, Title } from '@mantine/core'
import { useLocation, useSearch } from '@tanstack/react-router'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { call } from '../api/client.ts'
import { IconCheck } from '../icons/icons.ts'
import { PasswordForm } from '../parts/forms/password-form.tsx'
import { ButtonLink } from '../parts/page/button-link.tsx'
import { SignedOutPage } from './signed-out-page.tsx'

/** Sets a new password with the link of an email. The token is in the fragment, as in a sign-in link. */
export function NewPasswordPage() {
  const { t } = useTranslation()
  const token = useLocation().hash.replace(/^#/, '')
  const search = useSearch({ from: '/new-password' })
  const [isDone, setDone] = useState(false)
  const save = async (password: string) => {
    await call('POST /password-reset', { body: { token, password } })
    setDone(true)
  }
  return (
    <SignedOutPage>
      <Paper withBorder p="xl">
        <Stack>
          <Title order={1} fz="h3">
            {t('newPassword.title')}
          </Title>
          {isDone ? (
            <>
              <Alert icon={<IconCheck />} color="teal" role="status">
                {t('newPassword.done')}
              </Alert>
              <ButtonLink to="/sign-in" search={search}>
                {t('signIn.submit')}
              </ButtonLink>
            </>
          ) : (
            <>
              <Text size="sm">{t('newPassword.text')}</Text>
              <PasswordForm submitLabel={t('password.save')} isReset onSave={save} />
              <ButtonLink to="/sign-in" search={search} variant="subtle">
                {t('forgot.back')}
              </ButtonLink>
            </>
          )}
        </Stack>
      </Paper>
    </SignedOutPage>
  )
}
