import { Alert, Button, Paper, Stack, Text, Title } from '@mantine/core'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useLocation, useNavigate } from '@tanstack/react-router'
import { useTranslation } from 'react-i18next'
import type { BodyOf } from '../../../src/console-api/contract.ts'
import { ApiError, call } from '../api/client.ts'
import { sessionQuery } from '../api/queries.ts'
import { IconLinkOff } from '../icons/icons.ts'
import { useErrorText } from '../parts/feedback/use-error-text.ts'
import { ButtonLink } from '../parts/page/button-link.tsx'
import { SignedOutPage } from './signed-out-page.tsx'

/** A click redeems the invitation, not opening the page, so that an existing user can sign in first. */
export function InvitationPage() {
  const { t } = useTranslation()
  const errorText = useErrorText()
  const navigate = useNavigate()
  const queries = useQueryClient()
  const token = useLocation().hash.replace(/^#/, '')
  const accept = useMutation({
    mutationFn: () => {
      const body: BodyOf<'POST /invitation'> = { token }
      return call('POST /invitation', { body })
    },
    onSuccess: async (session) => {
      queries.clear()
      queries.setQueryData(sessionQuery.queryKey, session)
      const isNew = session.user?.hasPassword === false
      await navigate({ to: isNew ? '/first-password' : '/', replace: true })
    },
  })
  const isRefused = accept.error instanceof ApiError && accept.error.code === 'link_spent'
  const isSpent = isRefused || token === ''
  return (
    <SignedOutPage>
      {accept.error && !isSpent && (
        <Alert icon={<IconLinkOff />} color="orange" title={t('error.title')}>
          {errorText(accept.error)}
        </Alert>
      )}
      <Paper withBorder p="xl">
        <Stack>
          <Title order={1} fz="h3">
            {isSpent ? t('invitation.spentTitle') : t('invitation.title')}
          </Title>
          <Text size="sm">{isSpent ? t('invitation.spent') : t('invitation.text')}</Text>
          <ButtonLink to="/sign-in">{t('invitation.signIn')}</ButtonLink>
          {!isSpent && (
            <Button variant="default" loading={accept.isPending} onClick={() => accept.mutate()}>
              {t('invitation.accept')}
            </Button>
          )}
        </Stack>
      </Paper>
    </SignedOutPage>
  )
}
