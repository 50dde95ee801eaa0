import { Stack, Text } from '@mantine/core'
import { useInfiniteQuery } from '@tanstack/react-query'
import type { DataTableColumn } from 'mantine-datatable'
import { type ReactNode, useMemo } from 'react'
import { useTranslation } from 'react-i18next'
import type { UpstreamRow } from '../../../../src/console-api/contract.ts'
import { useVendorText } from '../../codes/use-vendor-text.ts'
import { formatDuration } from '../../format/times.ts'
import { IconServer2 } from '../../icons/icons.ts'
import { EmptyState } from '../../parts/lists/empty-state.tsx'
import { ListTable } from '../../parts/lists/list-table.tsx'
import { fromLarge, fromSmall } from '../../parts/lists/media.ts'
import { useNewest } from '../../parts/lists/use-newest.ts'
import { Money } from '../../parts/values/money.tsx'
import { upstreamsQuery } from '../operator-queries.ts'
import { RowName } from '../parts/row-name.tsx'
import { HealthBadge } from './health-badge.tsx'

export function UpstreamsTable(props: { onOpen: (id: string) => void; create: ReactNode }) {
  const { t } = useTranslation()
  const upstreams = useInfiniteQuery(upstreamsQuery)
  const rows = upstreams.data?.pages.flatMap((page) => page.upstreams)
  const columns = useColumns(props.onOpen)
  return (
    <ListTable
      rows={rows}
      columns={columns}
      idOf={(row) => row.id}
      onOpen={(row) => props.onOpen(row.id)}
      query={upstreams}
      empty={
        <EmptyState
          icon={<IconServer2 />}
          title={t('upstreams.emptyTitle')}
          text={t('upstreams.emptyText')}
          action={props.create}
        />
      }
    />
  )
}

function useColumns(onOpen: (id: string) => void): DataTableColumn<UpstreamRow>[] {
  const { t } = useTranslation()
  const vendorText = useVendorText()
  const openRow = useNewest(onOpen)
  return useMemo(
    () => [
      {
        accessor: 'id',
        title: t('upstreams.name'),
        render: (row) => (
          <RowName
            name={row.id}
            note={
              row.isDemo
                ? t('upstreams.demo')
                : `${vendorText(row.vendor)} · ${hostOf(row.baseUrl)}`
            }
            label={t('upstreams.open', { name: row.id })}
            onOpen={() => openRow(row.id)}
          />
        ),
      },
      {
        accessor: 'health',
        title: t('upstreams.health'),
        render: (row) => <HealthBadge upstream={row} />,
      },
      {
        accessor: 'firstToken',
        title: t('upstreams.firstToken'),
        textAlign: 'right',
        visibleMediaQuery: fromSmall,
        render: ({ health, spend }) => {
          const ms = health.firstTokenMs ?? spend.firstTokenMs
          return <span className="figures">{ms === null ? '—' : formatDuration(ms)}</span>
        },
      },
      {
        accessor: 'spend.requests',
        title: t('upstreams.requests'),
        textAlign: 'right',
        visibleMediaQuery: fromSmall,
        render: ({ spend }) => <Requests requests={spend.requests} errors={spend.errors} />,
      },
      {
        accessor: 'spend.costNano',
        title: t('upstreams.spend'),
        textAlign: 'right',
        visibleMediaQuery: fromSmall,
        render: ({ spend }) => <Money nano={spend.costNano} />,
      },
      {
        accessor: 'routeCount',
        title: t('upstreams.routes'),
        textAlign: 'right',
        visibleMediaQuery: fromLarge,
        render: ({ routeCount }) => (
          <span className="figures">{routeCount.toLocaleString('en-US')}</span>
        ),
      },
    ],
    [t, openRow, vendorText],
  )
}

function Requests({ requests, errors }: { requests: number; errors: number }) {
  const { t } = useTranslation()
  return (
    <Stack gap={0} align="flex-end">
      <span className="figures">{requests.toLocaleString('en-US')}</span>
      {errors > 0 && (
        <Text size="xs" c="red" className="figures">
          {t('upstreams.failed', { count: errors })}
        </Text>
      )}
    </Stack>
  )
}

function hostOf(url: string): string {
  return URL.canParse(url) ? new URL(url).host : url
}
