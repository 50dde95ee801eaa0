import { ActionIcon, Badge, Button, Group, Menu, Paper, Stack, Text } from '@mantine/core'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import type {
  CredentialEdit,
  CredentialRow,
  UpstreamDetail,
} from '../../../../src/console-api/contract.ts'
import { call } from '../../api/client.ts'
import { formatDay, formatRecent } from '../../format/times.ts'
import { IconDots, IconKey, IconPlus } from '../../icons/icons.ts'
import { useScope } from '../../parts/dialogs/unsaved.tsx'
import { useConfirm } from '../../parts/dialogs/use-confirm.tsx'
import type { OptimisticUpdate } from '../optimistic-update.ts'
import { useChange } from '../use-change.ts'
import { CredentialForm } from './credential-form.tsx'

/** The credentials of an upstream. Their values are write-only. */
export function CredentialList({ upstream }: { upstream: UpstreamDetail }) {
  const { t } = useTranslation()
  const [editing, setEditing] = useState<CredentialRow | 'new'>()
  const scope = useScope()
  const edit = (next: CredentialRow | 'new') => scope.leave(() => setEditing(next))
  return (
    <Stack>
      <Text size="sm" c="dimmed">
        {t('credentials.about')}
      </Text>
      {upstream.credentials.length === 0 && editing === undefined && (
        <Paper withBorder p="md">
          <Text size="sm">{t('credentials.none')}</Text>
        </Paper>
      )}
      {upstream.credentials.map((credential) =>
        editing !== 'new' && editing?.id === credential.id ? (
          <CredentialForm
            key={credential.id}
            upstreamId={upstream.id}
            credential={credential}
            onClose={() => setEditing(undefined)}
          />
        ) : (
          <CredentialCard
            key={credential.id}
            upstreamId={upstream.id}
            credential={credential}
            onEdit={() => edit(credential)}
          />
        ),
      )}
      {editing === 'new' ? (
        <CredentialForm
          upstreamId={upstream.id}
          credential={undefined}
          onClose={() => setEditing(undefined)}
        />
      ) : (
        <Button
          variant="light"
          leftSection={<IconPlus size={16} />}
          style={{ alignSelf: 'flex-start' }}
          onClick={() => edit('new')}
        >
          {t('credentials.add')}
        </Button>
      )}
    </Stack>
  )
}

function CredentialCard(props: {
  upstreamId: string
  credential: CredentialRow
  onEdit: () => void
}) {
  const { t, i18n } = useTranslation()
  const { credential } = props
  const [ask, dialog] = useConfirm()
  const showCredentials = (
    update: OptimisticUpdate,
    next: (row: CredentialRow) => readonly CredentialRow[],
  ) =>
    update.upstream(props.upstreamId, ({ credentials }) => ({
      credentials: credentials.flatMap((row) => (row.id === credential.id ? next(row) : [row])),
    }))
  const change = useChange(
    (edit: { isEnabled: boolean } & CredentialEdit) =>
      call('PATCH /operate/credentials/{id}', { params: { id: credential.id }, body: edit }),
    {
      done: t('operate.saved'),
      optimistic: (update, { isEnabled }) =>
        showCredentials(update, (row) => [{ ...row, isEnabled }]),
    },
  )
  const erase = useChange(
    () => call('DELETE /operate/credentials/{id}', { params: { id: credential.id } }),
    {
      optimistic: (update) => showCredentials(update, () => []),
      done: t('operate.deleted', { name: credential.name }),
    },
  )
  return (
    <Paper withBorder p="sm">
      <Group justify="space-between" wrap="nowrap" align="flex-start">
        <Group gap="sm" wrap="nowrap" align="flex-start">
          <IconKey size={18} stroke={1.6} aria-hidden />
          <div>
            <Group gap="xs">
              <Text size="sm" fw={500}>
                {credential.name}
              </Text>
              <CredentialState credential={credential} />
            </Group>
            <Text size="xs" c="dimmed" mt={2}>
              <span className="monospace">{credential.hint === '' ? '...' : credential.hint}</span>
              {' · '}
              {t('credentials.since', { day: formatDay(credential.createdAt, i18n.language) })}
            </Text>
          </div>
        </Group>
        <Menu position="bottom-end">
          <Menu.Target>
            <ActionIcon
              variant="subtle"
              color="gray"
              aria-label={t('credentials.actions', { name: credential.name })}
            >
              <IconDots size={18} />
            </ActionIcon>
          </Menu.Target>
          <Menu.Dropdown>
            <Menu.Item onClick={props.onEdit}>{t('credentials.edit')}</Menu.Item>
            <Menu.Item onClick={() => change.mutate({ isEnabled: !credential.isEnabled })}>
              {credential.isEnabled ? t('credentials.disable') : t('credentials.enable')}
            </Menu.Item>
            <Menu.Item
              color="red"
              onClick={() =>
                ask({
                  title: t('credentials.deleteTitle', { name: credential.name }),
                  text: t('credentials.deleteText'),
                  action: t('operate.delete'),
                  onYes: () => erase.mutate(),
                })
              }
            >
              {t('operate.delete')}
            </Menu.Item>
          </Menu.Dropdown>
        </Menu>
      </Group>
      {dialog}
    </Paper>
  )
}

const stateColors: Readonly<Record<CredentialRow['state'], string>> = {
  working: 'teal',
  'rate-limited': 'yellow',
  rejected: 'red',
  unknown: 'gray.5',
}

function CredentialState({ credential }: { credential: CredentialRow }) {
  const { t, i18n } = useTranslation()
  if (!credential.isEnabled) return <Badge color="gray">{t('credentials.off')}</Badge>
  if (credential.isStale) return <Badge color="orange">{t('credentials.stale')}</Badge>
  const { state, until } = credential
  return (
    <Badge color={stateColors[state]} variant="dot">
      {state === 'rate-limited' && until !== null
        ? t('out.rate_limited', { time: formatRecent(until, i18n.language) })
        : t(`credentials.state.${state}`)}
    </Badge>
  )
}
