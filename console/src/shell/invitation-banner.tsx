import { Alert, Button, Group, Text } from '@mantine/core'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import type { WaitingInvitation } from '../../../src/console-api/contract.ts'
import { call } from '../api/client.ts'
import { sessionQuery } from '../api/queries.ts'
import { IconMailCheck, IconUserQuestion } from '../icons/icons.ts'
import { notifyFailure, notifySuccess } from '../parts/feedback/notify.ts'
import { useErrorText } from '../parts/feedback/use-error-text.ts'

/** Shows that the email is not verified, and pending invitations. */
export function InvitationBanner() {
  const { t } = useTranslation()
  const session = useQuery(sessionQuery).data
  if (!session?.user) return null
  return (
    <>
      {session.user.invitedTo !== null && (
        <Alert icon={<IconUserQuestion />} color="orange" mb="lg" title={t('invited.title')}>
          {t('invited.text')}
        </Alert>
      )}
      {session.invitations.map((invitation) => (
        <Waiting key={invitation.accountId} invitation={invitation} />
      ))}
    </>
  )
}

function Waiting({ invitation }: { invitation: WaitingInvitation }) {
  const { t } = useTranslation()
  const errorText = useErrorText()
  const queries = useQueryClient()
  const { accountId, accountName: account, role } = invitation
  const choose = useMutation({
    mutationFn: (choice: 'accept' | 'decline') => {
      const body = { account: accountId }
      return choice === 'accept'
        ? call('POST /invitations/accept', { body })
        : call('POST /invitations/decline', { body })
    },
    onSuccess: async (session, choice) => {
      notifySuccess(
        choice === 'accept' ? t('invited.accepted', { account }) : t('invited.declined'),
      )
      queries.setQueryData(sessionQuery.queryKey, session)
      await queries.invalidateQueries()
    },
    onError: (error) => notifyFailure(errorText(error)),
  })
  return (
    <Alert icon={<IconMailCheck />} mb="lg" py="xs">
      <Group justify="space-between" gap="xs">
        <Text size="sm">{t('invited.waiting', { account, role: t(`invited.role.${role}`) })}</Text>
        <Group gap="xs">
          <Button size="xs" loading={choose.isPending} onClick={() => choose.mutate('accept')}>
            {t('invited.accept')}
          </Button>
          <Button
            size="xs"
            variant="default"
            disabled={choose.isPending}
            onClick={() => choose.mutate('decline')}
          >
            {t('invited.decline')}
          </Button>
        </Group>
      </Group>
    </Alert>
  )
}
