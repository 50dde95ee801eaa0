import { Alert, Group, Paper, Stack, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { memo, useMemo, useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { KeyRow, KeySettings } from '../../../src/console-api/contract.ts'
import { keyOptionsQuery, sessionQuery } from '../api/queries.ts'
import { formatMoment } from '../format/times.ts'
import { IconCheck, IconLock, IconPlayerStop, IconUser } from '../icons/icons.ts'
import { PanelTabs } from '../parts/dialogs/panel-tabs.tsx'
import { useScope } from '../parts/dialogs/unsaved.tsx'
import { PageError } from '../parts/feedback/page-error.tsx'
import { PagePending } from '../parts/feedback/page-pending.tsx'
import { changedMembers } from '../parts/forms/changed-members.ts'
import { FreshForm } from '../parts/fresh-sign-in/fresh-form.tsx'
import { useNewest } from '../parts/lists/use-newest.ts'
import { Snippets } from '../snippets/snippets.tsx'
import { callableModels } from './callable-models.ts'
import { KeyButtons } from './key-buttons.tsx'
import { QuotaCell } from './key-cells.tsx'
import { KeyForm } from './key-form.tsx'
import { KeyKind } from './key-owner.tsx'
import { KeyStateBadge } from './key-state-badge.tsx'
import { KeyValue } from './key-value.tsx'
import { useKeyActions } from './use-key-actions.tsx'
import { type KeyRights, useKeyRights } from './use-key-rights.ts'
import { useRevealed } from './use-revealed.ts'

interface KeyPanelProps {
  readonly row: KeyRow
  /** The value of a key that was just created. */
  readonly newValue: string | undefined
  readonly onClose: () => void
}

/** One key: its value, actions, snippets and settings. Memoized, because the page behind it renders more often. */
export const KeyPanel = memo(function KeyPanel({ row, newValue, onClose }: KeyPanelProps) {
  const { t, i18n } = useTranslation()
  const rights = useKeyRights(row)
  const revealed = useRevealed(row, rights.hasValue, newValue)
  const scope = useScope()
  const actions = useKeyActions(row, revealed.take, () => {
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
      <KeyStanding row={row} rights={rights} />
      <Stack gap="xs">
        <Group gap="sm">
          <KeyStateBadge state={row.state} />
          <KeyKind row={row} />
          <Text size="xs" c="dimmed">
            {t('keys.createdAt', { time: formatMoment(row.createdAt, i18n.language) })}
          </Text>
        </Group>
        {(row.quotaNano !== null || row.budgets.length > 0) && (
          <QuotaCell spentNano={row.spentNano} quotaNano={row.quotaNano} budgets={row.budgets} />
        )}
        {rights.hasValue && (row.hint !== '' || revealed.value !== undefined) && (
          <ShownValue row={row} revealed={revealed} />
        )}
        <KeyButtons row={row} rights={rights} actions={actions} />
      </Stack>
      <KeyTabs
        row={row}
        value={revealed.value}
        actions={actions}
        rights={rights}
        onClose={onClose}
      />
      {actions.freshDialog}
    </Stack>
  )
})

/** Notices about a key of another user, a locked key and a stopped key. */
function KeyStanding({ row, rights }: { row: KeyRow; rights: KeyRights }) {
  const { t } = useTranslation()
  const owner = row.ownerEmail ?? t('keys.formerMember')
  return (
    <>
      {row.ownerId !== null && !rights.isYours && row.state !== 'stopped' && (
        <Alert color="blue" icon={<IconUser />}>
          {t('keys.othersText', { owner })}
        </Alert>
      )}
      {row.isLocked && rights.isYours && !rights.mayChange && (
        <Alert color="blue" icon={<IconLock />}>
          {t('keys.lockedText')}
        </Alert>
      )}
      {row.state === 'stopped' && (
        <Alert color="orange" icon={<IconPlayerStop />}>
          {t(stoppedTextOf(rights))}
        </Alert>
      )}
    </>
  )
}

function stoppedTextOf({ isYours, hasValue, mayConvert }: KeyRights) {
  if (!isYours || (mayConvert && !hasValue)) return 'keys.stoppedText'
  return hasValue ? 'keys.stoppedOwnText' : 'keys.stoppedViewerText'
}

/** The value, or the form for the proof of identity that showing it requires. */
function ShownValue({ row, revealed }: { row: KeyRow; revealed: ReturnType<typeof useRevealed> }) {
  const user = useQuery(sessionQuery).data?.user
  return (
    <>
      <KeyValue
        hint={row.hint}
        value={revealed.value}
        isLoading={revealed.isLoading}
        onShow={() => void revealed.show()}
        onHide={revealed.hide}
        canShow={!revealed.needsProof}
      />
      {revealed.needsProof && user && (
        <Paper withBorder p="md">
          <FreshForm user={user} onDone={() => void revealed.show()} />
        </Paper>
      )}
      {revealed.problem !== undefined && (
        <Text size="sm" c="orange" role="alert">
          {revealed.problem}
        </Text>
      )}
    </>
  )
}

function KeyTabs(props: {
  row: KeyRow
  value: string | undefined
  actions: ReturnType<typeof useKeyActions>
  rights: KeyRights
  onClose: () => void
}) {
  const { row, value, actions, rights, onClose } = props
  const { t } = useTranslation()
  const [part, setPart] = useState<'use' | 'settings'>(rights.hasValue ? 'use' : 'settings')
  const options = useQuery(keyOptionsQuery(row.accountId))
  const root = useQuery(sessionQuery).data?.gatewayUrl ?? window.location.origin
  const { mayLock, mayRank } = rights
  const save = useNewest((wanted: KeySettings, shown: KeySettings) =>
    // The lock is a decision about this change, so it is always sent.
    actions.edit.mutateAsync({
      ...changedMembers(wanted, shown),
      ...(wanted.isLocked !== undefined && { isLocked: wanted.isLocked }),
    }),
  )
  // The form is large, and each action on the key renders the panel.
  const settings = useMemo(
    () =>
      options.data && (
        <KeyForm
          row={row}
          options={options.data}
          submitLabel={t('keys.save')}
          onCancel={onClose}
          onSave={save}
          onSaved={onClose}
          mayLock={mayLock}
          mayRank={mayRank}
        />
      ),
    [row, options.data, t, onClose, save, mayLock, mayRank],
  )
  if (options.error) return <PageError error={options.error} reset={() => void options.refetch()} />
  if (!options.data) return <PagePending />
  const use = <Snippets root={root} models={callableModels(row, options.data)} value={value} />
  return (
    <PanelTabs
      open={part}
      onOpen={setPart}
      tabs={[
        ...(rights.hasValue
          ? [{ name: 'use' as const, label: t('keys.tab.use'), content: use }]
          : []),
        ...(rights.mayChange
          ? [{ name: 'settings' as const, label: t('keys.tab.settings'), content: settings }]
          : []),
      ]}
    />
  )
}
