import { Badge, Box, Group } from '@mantine/core'
import { useInfiniteQuery } from '@tanstack/react-query'
import type { DataTableColumn } from 'mantine-datatable'
import { useMemo } from 'react'
import { useTranslation } from 'react-i18next'
import type { AccountRow } from '../../../../src/console-api/contract.ts'
import { IconBuildingBank } from '../../icons/icons.ts'
import { EmptyState } from '../../parts/lists/empty-state.tsx'
import { ListTable } from '../../parts/lists/list-table.tsx'
import { fromLarge, fromSmall } from '../../parts/lists/media.ts'
import { useNewest } from '../../parts/lists/use-newest.ts'
import { Money } from '../../parts/values/money.tsx'
import { accountsQuery } from '../operator-queries.ts'
import { RowName } from '../parts/row-name.tsx'

interface AccountsTableProps {
  readonly search: string | undefined
  readonly onOpen: (id: string) => void
}

export function AccountsTable({ search, onOpen }: AccountsTableProps) {
  const { t } = useTranslation()
  const accounts = useInfiniteQuery(accountsQuery(search))
  return (
    <ListTable
      rows={accounts.data?.pages.flatMap((page) => page.accounts)}
      columns={useColumns(onOpen)}
      idOf={(row) => row.id}
      onOpen={(row) => onOpen(row.id)}
      query={accounts}
      empty={
        <EmptyState
          icon={<IconBuildingBank />}
          title={search === undefined ? t('people.noAccounts') : t('people.nothingFound')}
          text={search === undefined ? t('people.noAccountsText') : t('people.nothingFoundText')}
        />
      }
    />
  )
}

function useColumns(onOpen: (id: string) => void): DataTableColumn<AccountRow>[] {
  const { t } = useTranslation()
  const openRow = useNewest(onOpen)
  return useMemo(
    () => [
      {
        accessor: 'name',
        title: t('people.account'),
        render: (row) => (
          <RowName
            name={row.name}
            note={
              <>
                {row.id}
                <Box hiddenFrom="sm" mt={4}>
                  <AccountState account={row} />
                </Box>
              </>
            }
            label={t('people.openAccount', { name: row.name })}
            onOpen={() => openRow(row.id)}
          />
        ),
      },
      {
        accessor: 'status',
        title: t('people.state'),
        visibleMediaQuery: fromSmall,
        render: (row) => <AccountState account={row} />,
      },
      {
        accessor: 'availableNano',
        title: t('people.available'),
        textAlign: 'right',
        render: (row) => (
          <Money
            nano={row.availableNano}
            isFitted
            {...(row.availableNano.startsWith('-') ? { c: 'red' } : {})}
          />
        ),
      },
      {
        accessor: 'spentNano',
        title: t('people.spent'),
        textAlign: 'right',
        visibleMediaQuery: fromSmall,
        render: (row) => <Money nano={row.spentNano} isFitted />,
      },
      {
        accessor: 'keyCount',
        title: t('people.keys'),
        textAlign: 'right',
        visibleMediaQuery: fromLarge,
        render: (row) => <span className="figures">{row.keyCount.toLocaleString('en-US')}</span>,
      },
      {
        accessor: 'memberCount',
        title: t('people.members'),
        textAlign: 'right',
        visibleMediaQuery: fromLarge,
        render: (row) => <span className="figures">{row.memberCount.toLocaleString('en-US')}</span>,
      },
    ],
    [t, openRow],
  )
}

export function AccountState({ account }: { account: AccountRow }) {
  const { t } = useTranslation()
  const isOver = account.endsAt !== null && account.endsAt <= Date.now()
  const isActive = account.status === 'active' && !isOver && !account.isStopped
  return (
    <Group gap={4}>
      {isActive ? (
        <Badge variant="dot" color="teal">
          {t('people.status.active')}
        </Badge>
      ) : (
        account.status === 'suspended' && (
          <Badge variant="dot" color="red">
            {t('people.status.suspended')}
          </Badge>
        )
      )}
      {isOver && <Badge color="orange">{t('people.over')}</Badge>}
      {account.isStopped && <Badge color="red">{t('people.stopped')}</Badge>}
    </Group>
  )
}
