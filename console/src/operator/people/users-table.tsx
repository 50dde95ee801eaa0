import { Badge, Box, Group, Text } from '@mantine/core'
import { useInfiniteQuery } from '@tanstack/react-query'
import type { DataTableColumn } from 'mantine-datatable'
import { useMemo } from 'react'
import { useTranslation } from 'react-i18next'
import type { UserRow } from '../../../../src/console-api/contract.ts'
import { formatList } from '../../format/lists.ts'
import { formatRecent } from '../../format/times.ts'
import { IconUsers } from '../../icons/icons.ts'
import { EmptyState } from '../../parts/lists/empty-state.tsx'
import { ListTable } from '../../parts/lists/list-table.tsx'
import { fromLarge, fromSmall } from '../../parts/lists/media.ts'
import { useNewest } from '../../parts/lists/use-newest.ts'
import { usersQuery } from '../operator-queries.ts'
import { RowName } from '../parts/row-name.tsx'
import { SignInMethods } from './sign-in-methods.tsx'

interface UsersTableProps {
  readonly search: string | undefined
  readonly onOpen: (id: string) => void
}

export function UsersTable({ search, onOpen }: UsersTableProps) {
  const { t } = useTranslation()
  const users = useInfiniteQuery(usersQuery(search))
  return (
    <ListTable
      rows={users.data?.pages.flatMap((page) => page.users)}
      columns={useColumns(onOpen)}
      idOf={(row) => row.id}
      onOpen={(row) => onOpen(row.id)}
      query={users}
      empty={
        <EmptyState
          icon={<IconUsers />}
          title={t('people.nothingFound')}
          text={t('people.nothingFoundText')}
        />
      }
    />
  )
}

function useColumns(onOpen: (id: string) => void): DataTableColumn<UserRow>[] {
  const { t, i18n } = useTranslation()
  const openRow = useNewest(onOpen)
  return useMemo(
    () => [
      {
        accessor: 'email',
        title: t('people.user'),
        render: (row) => (
          <Box miw={{ base: 150, sm: 190 }}>
            <RowName
              name={row.email}
              label={t('people.openUser', { name: row.email })}
              onOpen={() => openRow(row.id)}
            />
          </Box>
        ),
      },
      {
        accessor: 'role',
        title: t('people.userRole'),
        render: (row) => (
          <Group gap={4}>
            <Badge color={row.role === 'admin' ? 'petrol' : 'gray'}>{t(`user.${row.role}`)}</Badge>
            {row.isSuspended && <Badge color="red">{t('people.status.suspended')}</Badge>}
            {row.proof === null && <Badge color="orange">{t('people.unproven')}</Badge>}
            {row.source === 'open-id' && <Badge color="blue">{t('people.source.open-id')}</Badge>}
          </Group>
        ),
      },
      {
        accessor: 'accounts',
        title: t('people.accounts'),
        visibleMediaQuery: fromSmall,
        render: (row) => (
          <Text size="sm" lineClamp={1} maw={320}>
            {formatList(
              row.accounts.map(({ name }) => name),
              i18n.language,
            ) || '—'}
          </Text>
        ),
      },
      {
        accessor: 'hasTotp',
        title: t('people.signIn'),
        visibleMediaQuery: fromLarge,
        render: (row) => (
          <Text size="sm">
            <SignInMethods user={row} />
          </Text>
        ),
      },
      {
        accessor: 'seenAt',
        title: t('people.seen'),
        visibleMediaQuery: fromSmall,
        noWrap: true,
        render: ({ seenAt }) =>
          seenAt === null ? t('people.never') : formatRecent(seenAt, i18n.language),
      },
    ],
    [t, i18n.language, openRow],
  )
}
