import { Badge, Group, Stack, Text } from '@mantine/core'
import { useInfiniteQuery } from '@tanstack/react-query'
import type { DataTableColumn } from 'mantine-datatable'
import { useMemo } from 'react'
import { useTranslation } from 'react-i18next'
import type { ModelRow } from '../../../../src/console-api/contract.ts'
import { IconSearch, IconStack2 } from '../../icons/icons.ts'
import { EmptyState } from '../../parts/lists/empty-state.tsx'
import { ListTable } from '../../parts/lists/list-table.tsx'
import { fromLarge, fromSmall } from '../../parts/lists/media.ts'
import { useNewest } from '../../parts/lists/use-newest.ts'
import { Money } from '../../parts/values/money.tsx'
import { operatorModelsQuery } from '../operator-queries.ts'
import { RowName } from '../parts/row-name.tsx'

interface ModelsTableProps {
  readonly search: string | undefined
  readonly lacks?: 'price' | 'route'
  readonly onOpen: (id: string) => void
}

export function ModelsTable({ search, lacks, onOpen }: ModelsTableProps) {
  const { t } = useTranslation()
  const models = useInfiniteQuery(operatorModelsQuery(search, lacks))
  const columns = useColumns(onOpen)
  return (
    <ListTable
      rows={models.data?.pages.flatMap((page) => page.models)}
      columns={columns}
      idOf={(row) => row.id}
      onOpen={(row) => onOpen(row.id)}
      query={models}
      empty={
        search === undefined ? (
          <EmptyState
            icon={<IconStack2 />}
            title={lacks === undefined ? t('catalog.emptyTitle') : t('catalog.noGapTitle')}
            text={lacks === undefined ? t('catalog.emptyText') : t(`catalog.noGap.${lacks}`)}
          />
        ) : (
          <EmptyState
            icon={<IconSearch />}
            title={t('people.nothingFound')}
            text={t('people.nothingFoundText')}
          />
        )
      }
    />
  )
}

function useColumns(onOpen: (id: string) => void): DataTableColumn<ModelRow>[] {
  const { t } = useTranslation()
  const openRow = useNewest(onOpen)
  return useMemo(
    () => [
      {
        accessor: 'id',
        title: t('catalog.model'),
        render: (row) => (
          <RowName
            name={row.id}
            note={`${row.displayName} · ${row.ownedBy}`}
            label={t('catalog.open', { name: row.id })}
            onOpen={() => openRow(row.id)}
          />
        ),
      },
      {
        accessor: 'price',
        title: t('catalog.price'),
        textAlign: 'right',
        render: (row) => <PriceCell row={row} />,
      },
      {
        accessor: 'contextTokens',
        title: t('catalog.tokens'),
        textAlign: 'right',
        visibleMediaQuery: fromLarge,
        render: (row) => (
          <span className="figures">
            {row.contextTokens === null ? '—' : row.contextTokens.toLocaleString('en-US')}
            {' / '}
            {row.maxOutputTokens.toLocaleString('en-US')}
          </span>
        ),
      },
      {
        accessor: 'groups',
        title: t('catalog.groups'),
        visibleMediaQuery: fromSmall,
        render: (row) =>
          row.groups.length === 0 ? (
            <Badge color="orange">{t('catalog.noRoute')}</Badge>
          ) : (
            <Group gap={4}>
              {row.groups.map((group) => (
                <Badge key={group} color="gray">
                  {group}
                </Badge>
              ))}
            </Group>
          ),
      },
    ],
    [t, openRow],
  )
}

function PriceCell({ row }: { row: ModelRow }) {
  const { t } = useTranslation()
  if (row.price === null) return <Badge color="orange">{t('catalog.noPrice')}</Badge>
  return (
    <Stack gap={0} align="flex-end">
      <Text size="sm" component="div" className="figures">
        <Money nano={row.price.inputNano} /> / <Money nano={row.price.outputNano} />
      </Text>
      {row.versionCount > 1 && (
        <Text size="xs" c="dimmed">
          {t('catalog.versions', { count: row.versionCount })}
        </Text>
      )}
    </Stack>
  )
}
