import { Paper, Stack, Text, Title } from '@mantine/core'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useTranslation } from 'react-i18next'
import { call } from '../api/client.ts'
import { sessionQuery } from '../api/queries.ts'
import { notifySuccess } from '../parts/feedback/notify.ts'
import { PasswordForm } from '../parts/forms/password-form.tsx'
import { ButtonLink } from '../parts/page/button-link.tsx'
import { invitedSignInUrl } from './invited-account.ts'
import { SignedOutPage } from './signed-out-page.tsx'

/** A new person sets a password here: the link that signed them in does not work again. */
export function FirstPasswordPage() {
  const { t } = useTranslation()
  const queries = useQueryClient()
  const navigate = useNavigate()
  const { email = '', invitedTo = null } = useQuery(sessionQuery).data?.user ?? {}
  const save = async (password: string) => {
    await call('POST /password', { body: { password } })
    notifySuccess(t('password.saved'))
    await queries.invalidateQueries({ queryKey: sessionQuery.queryKey })
    await navigate({ to: '/', replace: true, ignoreBlocker: true })
  }
  return (
    <SignedOutPage>
      <Paper withBorder p="xl">
        <Stack>
          <Title order={1} fz="h3">
            {t('firstPassword.title')}
          </Title>
          <Text size="sm">{t('firstPassword.text', { email })}</Text>
          {invitedTo !== null && (
            <Text size="sm" style={{ overflowWrap: 'anywhere' }}>
              {t('password.invited', { url: invitedSignInUrl(invitedTo) })}
            </Text>
          )}
          <PasswordForm submitLabel={t('password.save')} onSave={save} />
          <ButtonLink to="/" variant="subtle">
            {t('firstPassword.later')}
          </ButtonLink>
        </Stack>
      </Paper>
    </SignedOutPage>
  )
}
