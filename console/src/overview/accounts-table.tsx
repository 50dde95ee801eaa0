import { Badge, Group } from '@mantine/core'
import type { DataTableColumn } from 'mantine-datatable'
import { useTranslation } from 'react-i18next'
import type { AccountOverview } from '../../../src/console-api/contract.ts'
import { ListTable } from '../parts/lists/list-table.tsx'
import { fromSmall } from '../parts/lists/media.ts'
import { PageAnchor } from '../parts/page/page-anchor.tsx'
import { Money } from '../parts/values/money.tsx'

export function AccountsTable({ accounts }: { accounts: readonly AccountOverview[] }) {
  const { t } = useTranslation()
  const columns: DataTableColumn<AccountOverview>[] = [
    {
      accessor: 'name',
      title: t('account.label'),
      render: (account) => (
        <Group gap="xs">
          <PageAnchor to="/" search={{ account: account.id }} size="sm">
            {account.name}
          </PageAnchor>
          {account.isSuspended && <Badge color="red">{t('overview.suspended')}</Badge>}
        </Group>
      ),
    },
    {
      accessor: 'availableNano',
      title: t('overview.available'),
      textAlign: 'right',
      render: ({ availableNano }) =>
        availableNano !== null && <Money nano={availableNano} isFitted />,
    },
    {
      accessor: 'heldNano',
      title: t('overview.held'),
      textAlign: 'right',
      visibleMediaQuery: fromSmall,
      render: ({ heldNano }) => heldNano !== null && <Money nano={heldNano} isFitted />,
    },
    {
      accessor: 'spentNano',
      title: t('overview.spent'),
      textAlign: 'right',
      visibleMediaQuery: fromSmall,
      render: (account) => <Money nano={account.spentNano} isFitted />,
    },
    {
      accessor: 'requestCount',
      title: t('overview.requests24h'),
      textAlign: 'right',
      visibleMediaQuery: fromSmall,
      render: (account) => account.requestCount.toLocaleString('en-US'),
    },
  ]
  return <ListTable<AccountOverview> rows={accounts} columns={columns} idOf={({ id }) => id} />
}
