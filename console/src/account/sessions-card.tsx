import { Badge, Button, Group, Stack, Text } from '@mantine/core'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import type { OpenSession, SessionsAnswer } from '../../../src/console-api/contract.ts'
import { call } from '../api/client.ts'
import { sessionsQuery } from '../api/queries.ts'
import { formatAgo, formatMoment } from '../format/times.ts'
import { IconDeviceDesktop } from '../icons/icons.ts'
import { useConfirm } from '../parts/dialogs/use-confirm.tsx'
import { notifyFailure, notifySuccess } from '../parts/feedback/notify.ts'
import { PageError } from '../parts/feedback/page-error.tsx'
import { PagePending } from '../parts/feedback/page-pending.tsx'
import { useErrorText } from '../parts/feedback/use-error-text.ts'
import { agentName } from './agent-name.ts'

/** Active sessions of the user. */
export function SessionsCard() {
  const { t } = useTranslation()
  const errorText = useErrorText()
  const queries = useQueryClient()
  const sessions = useQuery(sessionsQuery)
  const [ask, confirmation] = useConfirm()
  const keepOnly = (hasValues: (session: OpenSession) => boolean) =>
    queries.setQueryData<SessionsAnswer>(
      sessionsQuery.queryKey,
      (old) => old && { sessions: old.sessions.filter(hasValues) },
    )
  const options = {
    onError: (error: unknown) => notifyFailure(errorText(error)),
    onSettled: () => queries.invalidateQueries({ queryKey: sessionsQuery.queryKey }),
  }
  const end = useMutation({
    mutationFn: (id: string) => call('DELETE /sessions/{id}', { params: { id } }),
    onMutate: (id) => keepOnly((session) => session.id !== id),
    onSuccess: () => notifySuccess(t('sessions.ended')),
    ...options,
  })
  const endOthers = useMutation({
    mutationFn: () => call('POST /sessions/close-others', {}),
    onMutate: () => keepOnly(({ isCurrent }) => isCurrent),
    onSuccess: () => notifySuccess(t('sessions.endedOthers')),
    ...options,
  })
  if (sessions.error)
    return <PageError error={sessions.error} reset={() => void sessions.refetch()} />
  if (!sessions.data) return <PagePending />
  const list = sessions.data.sessions
  return (
    <Stack gap={0}>
      {list.map((session) => (
        <SessionLine key={session.id} session={session} onEnd={() => end.mutate(session.id)} />
      ))}
      {list.some(({ isCurrent }) => !isCurrent) && (
        <Group mt="sm">
          <Button
            variant="default"
            loading={endOthers.isPending}
            onClick={() =>
              ask({
                title: t('sessions.endOthersTitle'),
                text: t('sessions.endOthersText'),
                action: t('sessions.endOthers'),
                onYes: () => endOthers.mutate(),
              })
            }
          >
            {t('sessions.endOthers')}
          </Button>
        </Group>
      )}
      {confirmation}
    </Stack>
  )
}

function SessionLine({ session, onEnd }: { session: OpenSession; onEnd: () => void }) {
  const { t, i18n } = useTranslation()
  const facts = [
    session.address,
    t('sessions.seen', { ago: formatAgo(session.seenAt, i18n.language) }),
    t('sessions.since', { time: formatMoment(session.createdAt, i18n.language) }),
  ]
  return (
    <Group justify="space-between" py="xs" wrap="nowrap">
      <Group gap="sm" wrap="nowrap">
        <IconDeviceDesktop size={20} stroke={1.5} aria-hidden style={{ flexShrink: 0 }} />
        <div>
          <Group gap={6}>
            <Text size="sm" fw={500}>
              {session.agent === null ? t('sessions.unknown') : agentName(session.agent)}
            </Text>
            {session.isCurrent && <Badge color="teal">{t('sessions.this')}</Badge>}
          </Group>
          <Text size="xs" c="dimmed" className="sentence">
            {facts.filter((fact) => fact !== null).join(' · ')}
          </Text>
        </div>
      </Group>
      {!session.isCurrent && (
        <Button size="xs" variant="subtle" color="red" flex="none" onClick={onEnd}>
          {t('sessions.end')}
        </Button>
      )}
    </Group>
  )
}
