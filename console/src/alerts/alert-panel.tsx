import { Button, Group, Text } from '@mantine/core'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import type { AlertRow } from '../../../src/console-api/contract.ts'
import { call } from '../api/client.ts'
import { alertsKey, messagesKey } from '../api/queries.ts'
import { IconSend, IconTrash } from '../icons/icons.ts'
import { useScope } from '../parts/dialogs/unsaved.tsx'
import { useConfirm } from '../parts/dialogs/use-confirm.tsx'
import { notifyFailure, notifySuccess } from '../parts/feedback/notify.ts'
import { useErrorText } from '../parts/feedback/use-error-text.ts'
import { AlertForm } from './alert-form.tsx'
import { ConditionList } from './condition-list.tsx'
import { useTestNotification } from './use-test-notification.ts'

interface AlertPanelProps {
  readonly row: AlertRow
  readonly account: string | undefined
  readonly onClose: () => void
}

/** One alert: see what holds now, change it, test it, delete it. */
export function AlertPanel({ row, account, onClose }: AlertPanelProps) {
  const { t } = useTranslation()
  const errorText = useErrorText()
  const queries = useQueryClient()
  const scope = useScope()
  const [ask, confirmation] = useConfirm()
  const { id, name } = row
  const remove = useMutation({
    mutationFn: () => call('DELETE /alerts/{id}', { params: { id } }),
    onSuccess: () => {
      notifySuccess(t('operate.deleted', { name }))
      scope.drop()
      onClose()
    },
    onError: (error) => notifyFailure(errorText(error)),
    onSettled: async () => {
      await queries.invalidateQueries({ queryKey: alertsKey })
      await queries.invalidateQueries({ queryKey: messagesKey })
    },
  })
  return (
    <>
      <ConditionList row={row} account={account} />
      <AlertForm
        row={row}
        account={account}
        onDone={onClose}
        onCancel={onClose}
        top={(isChanged) => <TestButton id={id} isChanged={isChanged} />}
      >
        <Button
          variant="subtle"
          color="red"
          leftSection={<IconTrash size={15} />}
          loading={remove.isPending}
          onClick={() =>
            ask({
              title: t('operate.deleteTitle', { name }),
              text: t('alerts.deleteText'),
              action: t('operate.delete'),
              onYes: () => remove.mutate(),
            })
          }
        >
          {t('operate.delete')}
        </Button>
      </AlertForm>
      {confirmation}
    </>
  )
}

/** The gateway tests what it has stored, which is not what a changed form shows. */
function TestButton({ id, isChanged }: { readonly id: string; readonly isChanged: boolean }) {
  const { t } = useTranslation()
  const notifyResult = useTestNotification()
  const test = useMutation({
    mutationFn: () => call('POST /alerts/{id}/test', { params: { id } }),
    ...notifyResult,
  })
  return (
    <Group justify="flex-end" gap="xs" mb="md">
      {isChanged && (
        <Text size="xs" c="dimmed">
          {t('alerts.testUnsaved')}
        </Text>
      )}
      <Button
        size="xs"
        variant="light"
        leftSection={<IconSend size={15} />}
        disabled={isChanged}
        loading={test.isPending}
        onClick={() => test.mutate()}
      >
        {t('alerts.test')}
      </Button>
    </Group>
  )
}
