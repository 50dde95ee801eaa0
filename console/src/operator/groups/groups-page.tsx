import '../operator.css'
import { Badge, Box, Button } from '@mantine/core'
import { useInfiniteQuery } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import type { DataTableColumn } from 'mantine-datatable'
import { useMemo, useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { GroupRow } from '../../../../src/console-api/contract.ts'
import { IconPlus, IconUsersGroup } from '../../icons/icons.ts'
import { SidePanel } from '../../parts/dialogs/side-panel.tsx'
import { EmptyState } from '../../parts/lists/empty-state.tsx'
import { ListTable } from '../../parts/lists/list-table.tsx'
import { fromLarge, fromSmall } from '../../parts/lists/media.ts'
import { useNewest } from '../../parts/lists/use-newest.ts'
import { PageHeader } from '../../parts/page/page-header.tsx'
import { groupQuery, groupsQuery } from '../operator-queries.ts'
import { DetailLoader } from '../parts/detail-loader.tsx'
import { RowName } from '../parts/row-name.tsx'
import { GroupForm } from './group-form.tsx'

export function GroupsPage() {
  const { t } = useTranslation()
  const { group } = useSearch({ from: '/shell/operate/groups' })
  const navigate = useNavigate({ from: '/operate/groups' })
  const [isNew, setNew] = useState(false)
  const groups = useInfiniteQuery(groupsQuery)
  const open = (id: string) => void navigate({ search: { group: id } })
  const close = () => {
    setNew(false)
    void navigate({ search: {} })
  }
  const create = (
    <Button leftSection={<IconPlus size={16} />} onClick={() => setNew(true)}>
      {t('groups.new')}
    </Button>
  )
  return (
    <>
      <PageHeader title={t('groups.title')} text={t('groups.about')}>
        {create}
      </PageHeader>
      <ListTable
        rows={groups.data?.pages.flatMap((page) => page.groups)}
        columns={useColumns(open)}
        idOf={(row) => row.id}
        onOpen={(row) => open(row.id)}
        query={groups}
        empty={
          <EmptyState
            icon={<IconUsersGroup />}
            title={t('groups.emptyTitle')}
            text={t('groups.emptyText')}
            action={create}
          />
        }
      />
      <SidePanel
        isOpen={isNew || group !== undefined}
        onClose={close}
        title={isNew ? t('groups.new') : group}
      >
        {isNew ? (
          <GroupForm group={undefined} onClose={close} />
        ) : (
          group !== undefined && (
            <DetailLoader key={group} query={groupQuery(group)}>
              {(row) => <GroupForm group={row} onClose={close} />}
            </DetailLoader>
          )
        )}
      </SidePanel>
    </>
  )
}

function useColumns(onOpen: (id: string) => void): DataTableColumn<GroupRow>[] {
  const { t } = useTranslation()
  const openRow = useNewest(onOpen)
  return useMemo(
    () => [
      {
        accessor: 'id',
        title: t('groups.group'),
        render: ({ id, grants }) => (
          <RowName
            name={id}
            note={
              <Box hiddenFrom="sm">
                <Who grants={grants} />
              </Box>
            }
            label={t('groups.open', { name: id })}
            onOpen={() => openRow(id)}
          />
        ),
      },
      {
        accessor: 'factor',
        title: t('groups.factor'),
        textAlign: 'right',
        render: ({ factor }) => <span className="figures">× {factor}</span>,
      },
      {
        accessor: 'grants',
        title: t('groups.who'),
        visibleMediaQuery: fromSmall,
        render: ({ grants }) => <Who grants={grants} />,
      },
      {
        accessor: 'unsupported',
        title: t('groups.unsupported'),
        visibleMediaQuery: fromLarge,
        render: ({ unsupported }) => t(`groups.short.${unsupported}`),
      },
      {
        accessor: 'fallbacks',
        title: t('groups.fallbacks'),
        textAlign: 'right',
        visibleMediaQuery: fromLarge,
        render: ({ fallbacks }) => (
          <span className="figures">{Object.keys(fallbacks).length || '—'}</span>
        ),
      },
      {
        accessor: 'modelCount',
        title: t('groups.models'),
        textAlign: 'right',
        visibleMediaQuery: fromSmall,
        render: ({ modelCount }) => (
          <span className="figures">{modelCount.toLocaleString('en-US')}</span>
        ),
      },
    ],
    [t, openRow],
  )
}

function Who({ grants }: Pick<GroupRow, 'grants'>) {
  const { t } = useTranslation()
  if (grants === null) return t('groups.everyone')
  return (
    <Badge color={grants.length === 0 ? 'orange' : 'blue'}>
      {t('groups.accounts', { count: grants.length })}
    </Badge>
  )
}
