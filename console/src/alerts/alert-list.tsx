import '../operator/operator.css'
import { Box, Button, Group } from '@mantine/core'
import { useInfiniteQuery, useMutation, useQuery } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import type { AlertRow } from '../../../src/console-api/contract.ts'
import { call } from '../api/client.ts'
import { alertQuery, alertsQuery, sessionQuery } from '../api/queries.ts'
import { IconBell, IconMail, IconPlus } from '../icons/icons.ts'
import { SidePanel } from '../parts/dialogs/side-panel.tsx'
import { PageError } from '../parts/feedback/page-error.tsx'
import { PagePending } from '../parts/feedback/page-pending.tsx'
import { EmptyState } from '../parts/lists/empty-state.tsx'
import { ListTable } from '../parts/lists/list-table.tsx'
import { PageHeader } from '../parts/page/page-header.tsx'
import { AlertForm } from './alert-form.tsx'
import { AlertPanel } from './alert-panel.tsx'
import { MessageList } from './message-list.tsx'
import { useAlertColumns } from './use-alert-columns.tsx'
import { useTestNotification } from './use-test-notification.ts'

const newAlert = 'new'

interface AlertListProps {
  /** The selected account. */
  readonly account: string | undefined
  /** The alert whose panel is open, or `new`. */
  readonly opened: string | undefined
  readonly onOpen: (alert: string | undefined) => void
}

/** Alerts with a panel for each, and the messages that the gateway has sent. */
export function AlertList({ account, opened, onOpen }: AlertListProps) {
  const { t } = useTranslation()
  const session = useQuery(sessionQuery).data
  const alerts = useInfiniteQuery(alertsQuery(account))
  const rows = alerts.data?.pages.flatMap((page) => page.alerts)
  const names = new Map(session?.accounts.map(({ id, name }) => [id, name]))
  const accountName = (id: string | null) =>
    id === null ? t('tokens.wholeGateway') : (names.get(id) ?? id)
  const columns = useAlertColumns({ accountName, onOpen: ({ id }) => onOpen(id) })
  const close = () => onOpen(undefined)
  const isOperator = session?.user?.role === 'admin'
  const newButton = (
    <Button leftSection={<IconPlus size={16} />} onClick={() => onOpen(newAlert)}>
      {t('alerts.new')}
    </Button>
  )
  return (
    <>
      <PageHeader title={t('alerts.title')} text={t('alerts.text')}>
        <Group gap="xs">
          {rows?.length !== 0 && newButton}
          {/* Last, so that this button does not move when the other one goes. */}
          {isOperator && session.hasMail && <TestMailButton />}
        </Group>
      </PageHeader>
      <ListTable<AlertRow>
        rows={rows}
        columns={columns}
        idOf={({ id }) => id}
        onOpen={({ id }) => onOpen(id)}
        query={alerts}
        empty={
          <EmptyState
            icon={<IconBell />}
            title={t('alerts.emptyTitle')}
            text={session?.hasMail === false ? t('alerts.emptyNoMail') : t('alerts.emptyText')}
            action={newButton}
          />
        }
      />
      <Box mt="xl">
        <MessageList account={account} accountName={accountName} />
      </Box>
      <SidePanel isOpen={opened === newAlert} onClose={close} title={t('alerts.new')}>
        <AlertForm account={account} onDone={close} onCancel={close} />
      </SidePanel>
      <OpenedAlert
        id={opened === newAlert ? undefined : opened}
        rows={rows}
        account={account}
        onClose={close}
      />
    </>
  )
}

/** The link of a message may open an alert that is not on the first page of the list. */
function OpenedAlert(props: {
  id: string | undefined
  rows: readonly AlertRow[] | undefined
  account: string | undefined
  onClose: () => void
}) {
  const { id, rows, account, onClose } = props
  const listed = rows?.find((row) => row.id === id)
  const isAsked = id !== undefined && rows !== undefined && !listed
  const found = useQuery({ ...alertQuery(id ?? ''), enabled: isAsked })
  const row = listed ?? (isAsked ? found.data : undefined)
  return (
    <SidePanel isOpen={id !== undefined} onClose={onClose} title={row?.name ?? ''}>
      {found.error && !row && <PageError error={found.error} reset={() => void found.refetch()} />}
      {!row && !found.error && id !== undefined && <PagePending />}
      {row && <AlertPanel key={row.id} row={row} account={account} onClose={onClose} />}
    </SidePanel>
  )
}

function TestMailButton() {
  const { t } = useTranslation()
  const notifyResult = useTestNotification()
  const test = useMutation({
    mutationFn: () => call('POST /operate/mail/test', {}),
    ...notifyResult,
  })
  return (
    <Button
      variant="default"
      leftSection={<IconMail size={16} />}
      loading={test.isPending}
      onClick={() => test.mutate()}
    >
      {t('alerts.testMail')}
    </Button>
  )
}
