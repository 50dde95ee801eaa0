import { Alert, Button, Group, Stack, Text } from '@mantine/core'
import {
  IconChartHistogram,
  IconCheck,
  IconPlayerPause,
  IconPlayerPlay,
  IconRefresh,
  IconTrash,
} from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { KeyRow } from '../../../src/console-api/contract.ts'
import { keyOptionsQuery, sessionQuery } from '../api/queries.ts'
import { formatMoment } from '../format/times.ts'
import { ButtonLink } from '../parts/button-link.tsx'
import { PageError } from '../parts/page-error.tsx'
import { PagePending } from '../parts/page-pending.tsx'
import { PanelTabs } from '../parts/panel-tabs.tsx'
import { useScope } from '../parts/unsaved.tsx'
import { useConfirm } from '../parts/use-confirm.tsx'
import { useMayChange } from '../shell/use-may-change.ts'
import { Snippets } from '../snippets/snippets.tsx'
import { callableModels } from './callable-models.ts'
import { KeyForm } from './key-form.tsx'
import { KeyStateBadge } from './key-state-badge.tsx'
import { KeyValue } from './key-value.tsx'
import { useKeyActions } from './use-key-actions.tsx'

interface KeyPanelProps {
  readonly row: KeyRow
  /** The value of a key that was just created. */
  readonly newValue: string | undefined
  readonly onClose: () => void
}

/** One key: its value, actions, snippets and settings. */
export function KeyPanel({ row, newValue, onClose }: KeyPanelProps) {
  const { t, i18n } = useTranslation()
  const [value, setValue] = useState(newValue)
  const [ask, confirmation] = useConfirm()
  const mayChange = useMayChange(row.accountId)
  const scope = useScope()
  const actions = useKeyActions(row, setValue, () => {
    scope.drop()
    onClose()
  })
  return (
    <Stack gap="lg">
      {newValue !== undefined && (
        <Alert color="teal" icon={<IconCheck />} title={t('keys.created.title')}>
          {t('keys.created.text')}
        </Alert>
      )}
      <Stack gap="xs">
        <Group gap="sm">
          <KeyStateBadge state={row.state} />
          <Text size="xs" c="dimmed">
            {t('keys.createdAt', { time: formatMoment(row.createdAt, i18n.language) })}
          </Text>
        </Group>
        <KeyValue
          hint={row.hint}
          value={value}
          isLoading={actions.reveal.isPending}
          onShow={() => actions.reveal.mutate()}
          onHide={() => setValue(undefined)}
          canShow={mayChange}
        />
        <Group gap="xs" className="key-actions">
          {mayChange && (
            <>
              <Button
                size="xs"
                variant="default"
                leftSection={
                  row.isEnabled ? <IconPlayerPause size={15} /> : <IconPlayerPlay size={15} />
                }
                onClick={actions.toggle}
              >
                {row.isEnabled ? t('keys.disable') : t('keys.enable')}
              </Button>
              <Button
                size="xs"
                variant="default"
                leftSection={<IconRefresh size={15} />}
                loading={actions.rotate.isPending}
                onClick={() =>
                  ask({
                    title: t('keys.rotateTitle'),
                    text: t('keys.rotateText'),
                    action: t('keys.rotate'),
                    onYes: () => actions.rotate.mutate(),
                  })
                }
              >
                {t('keys.rotate')}
              </Button>
            </>
          )}
          <ButtonLink
            to="/usage"
            search={{ account: row.accountId, key: row.id }}
            size="xs"
            variant="default"
            leftSection={<IconChartHistogram size={15} />}
          >
            {t('nav.usage')}
          </ButtonLink>
          {mayChange && (
            <Button
              size="xs"
              variant="subtle"
              color="red"
              leftSection={<IconTrash size={15} />}
              loading={actions.erase.isPending}
              onClick={() =>
                ask({
                  title: t('keys.deleteTitle', { name: row.name }),
                  text: t('keys.deleteText'),
                  action: t('delete'),
                  onYes: () => actions.erase.mutate(),
                })
              }
            >
              {t('delete')}
            </Button>
          )}
        </Group>
      </Stack>
      <KeyTabs row={row} value={value} actions={actions} mayChange={mayChange} onClose={onClose} />
      {confirmation}
      {actions.freshDialog}
    </Stack>
  )
}

function KeyTabs(props: {
  row: KeyRow
  value: string | undefined
  actions: ReturnType<typeof useKeyActions>
  mayChange: boolean
  onClose: () => void
}) {
  const { row, value, actions, mayChange, onClose } = props
  const { t } = useTranslation()
  const [part, setPart] = useState<'use' | 'settings'>('use')
  const options = useQuery(keyOptionsQuery(row.accountId))
  const root = useQuery(sessionQuery).data?.gatewayUrl ?? window.location.origin
  if (options.error) return <PageError error={options.error} reset={() => void options.refetch()} />
  if (!options.data) return <PagePending />
  const use = <Snippets root={root} models={callableModels(row, options.data)} value={value} />
  const settings = (
    <KeyForm
      row={row}
      options={options.data}
      submitLabel={t('keys.save')}
      onCancel={onClose}
      onSave={(wanted) => actions.edit.mutateAsync(wanted)}
      onSaved={onClose}
    />
  )
  return (
    <PanelTabs
      open={part}
      onOpen={setPart}
      tabs={[
        { name: 'use', label: t('keys.tab.use'), content: use },
        ...(mayChange
          ? [{ name: 'settings' as const, label: t('keys.tab.settings'), content: settings }]
          : []),
      ]}
    />
  )
}
