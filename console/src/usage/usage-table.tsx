import { Group, Stack, Text, Tooltip, UnstyledButton } from '@mantine/core'
import { IconBolt } from '@tabler/icons-react'
import { DataTable, type DataTableColumn } from 'mantine-datatable'
import { useTranslation } from 'react-i18next'
import type { TokenCounts, UsageRow } from '../../../src/console-api/contract.ts'
import { formatDuration, formatRecent } from '../format/times.ts'
import { fromLarge, fromSmall } from '../parts/media.ts'
import { Money } from '../parts/money.tsx'
import { StatusBadge } from '../parts/status-badge.tsx'

interface UsageTableProps {
  /** Undefined while the first page is on its way. */
  readonly rows: readonly UsageRow[] | undefined
  readonly onOpen: (requestId: string) => void
}

export function UsageTable({ rows, onOpen }: UsageTableProps) {
  const columns = useUsageColumns(onOpen)
  return (
    <DataTable
      withTableBorder
      borderRadius="md"
      highlightOnHover
      verticalSpacing={6}
      minHeight={rows ? 0 : 240}
      fetching={rows === undefined}
      idAccessor="requestId"
      records={rows ? [...rows] : []}
      columns={columns}
      noRecordsText=""
      rowClassName="clickable-row"
      onRowClick={({ record }) => onOpen(record.requestId)}
    />
  )
}

function useUsageColumns(onOpen: (requestId: string) => void): DataTableColumn<UsageRow>[] {
  const { t, i18n } = useTranslation()
  return [
    {
      accessor: 'at',
      title: t('usage.time'),
      render: (row) => (
        <UnstyledButton
          className="figures"
          fz="sm"
          aria-label={t('usage.open', { id: row.requestId })}
          onClick={(event) => {
            event.stopPropagation()
            onOpen(row.requestId)
          }}
        >
          {formatRecent(row.at, i18n.language)}
          <Text size="xs" c="dimmed" lineClamp={1} hiddenFrom="sm">
            {row.model}
          </Text>
        </UnstyledButton>
      ),
    },
    {
      accessor: 'model',
      title: t('usage.model'),
      visibleMediaQuery: fromSmall,
      render: (row) => <ModelCell row={row} />,
    },
    {
      accessor: 'keyName',
      title: t('usage.key'),
      visibleMediaQuery: fromSmall,
      render: (row) => (
        <Text size="sm" lineClamp={1} maw={180}>
          {row.keyName ?? row.keyId}
        </Text>
      ),
    },
    {
      accessor: 'group',
      title: t('usage.group'),
      visibleMediaQuery: fromLarge,
      render: (row) => row.group ?? '—',
    },
    {
      accessor: 'tokens',
      title: t('usage.tokens'),
      textAlign: 'right',
      visibleMediaQuery: fromSmall,
      render: (row) => <span className="figures">{tokenText(row.tokens)}</span>,
    },
    {
      accessor: 'totalMs',
      title: t('usage.duration'),
      textAlign: 'right',
      visibleMediaQuery: fromLarge,
      render: (row) => (
        <span className="figures">
          {row.firstTokenMs === null ? '—' : formatDuration(row.firstTokenMs)}
          {' / '}
          {formatDuration(row.totalMs)}
        </span>
      ),
    },
    {
      accessor: 'costNano',
      title: t('usage.cost'),
      textAlign: 'right',
      render: (row) => <Money nano={row.costNano} />,
    },
    {
      accessor: 'status',
      title: t('usage.status'),
      textAlign: 'right',
      render: (row) => <StatusBadge status={row.status} reason={row.reason} />,
    },
  ]
}

function ModelCell({ row }: { row: UsageRow }) {
  const { t } = useTranslation()
  return (
    <Stack gap={0}>
      <Group gap={4} wrap="nowrap">
        <Text size="sm" lineClamp={1}>
          {row.model ?? '—'}
        </Text>
        {row.isStream && (
          <Tooltip label={t('usage.stream')}>
            <IconBolt size={14} stroke={1.6} role="img" aria-label={t('usage.stream')} />
          </Tooltip>
        )}
      </Group>
      <Text size="xs" c="dimmed" lineClamp={1}>
        {row.protocol}
      </Text>
    </Stack>
  )
}

function tokenText(tokens: TokenCounts | null): string {
  if (tokens === null) return '—'
  const { input, cacheRead, cacheWrite5m, cacheWrite1h, output } = tokens
  const whole = input + cacheRead + cacheWrite5m + cacheWrite1h
  return `${whole.toLocaleString('en-US')} / ${output.toLocaleString('en-US')}`
}
