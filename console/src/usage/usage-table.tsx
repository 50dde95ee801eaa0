import { Group, Stack, Text, Tooltip, UnstyledButton, VisuallyHidden } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import type { DataTableColumn } from 'mantine-datatable'
import { type ReactNode, useCallback, useMemo } from 'react'
import { useTranslation } from 'react-i18next'
import type { TokenCounts, UsageRow } from '../../../src/console-api/contract.ts'
import { sessionQuery } from '../api/queries.ts'
import { protocolLabel } from '../codes/protocol-label.ts'
import { useReasonText } from '../codes/use-reason-text.ts'
import { formatDuration, formatRecent } from '../format/times.ts'
import { inputTokens } from '../format/token-sums.ts'
import { IconBolt } from '../icons/icons.ts'
import { type ListQuery, ListTable } from '../parts/lists/list-table.tsx'
import { fromLarge, fromSmall } from '../parts/lists/media.ts'
import { useNewest } from '../parts/lists/use-newest.ts'
import { Money } from '../parts/values/money.tsx'
import { StatusBadge } from '../parts/values/status-badge.tsx'

interface UsageTableProps {
  /** Undefined while the first page is loading. */
  readonly rows: readonly UsageRow[] | undefined
  readonly onOpen: (requestId: string) => void
  readonly query?: ListQuery
  readonly empty?: ReactNode
  readonly withAccount?: boolean
}

const idOf = ({ requestId }: UsageRow) => requestId

export function UsageTable({ rows, onOpen, query, empty, withAccount = false }: UsageTableProps) {
  const open = useNewest(onOpen)
  const openRow = useCallback(({ requestId }: UsageRow) => open(requestId), [open])
  const columns = useUsageColumns(open, withAccount)
  return (
    <ListTable<UsageRow>
      rows={rows}
      columns={columns}
      idOf={idOf}
      onOpen={openRow}
      {...(query && { query })}
      {...(empty !== undefined && { empty })}
    />
  )
}

function useUsageColumns(
  onOpen: (requestId: string) => void,
  withAccount: boolean,
): DataTableColumn<UsageRow>[] {
  const { t, i18n } = useTranslation()
  const reasonText = useReasonText()
  const accounts = useQuery(sessionQuery).data?.accounts
  const { language } = i18n
  return useMemo(
    () => [
      {
        accessor: 'at',
        title: t('usage.time'),
        render: (row) => (
          <UnstyledButton
            className="figures"
            fz="sm"
            onClick={(event) => {
              event.stopPropagation()
              onOpen(row.requestId)
            }}
          >
            {formatRecent(row.at, language)}
            <VisuallyHidden>{t('usage.open', { id: row.requestId })}</VisuallyHidden>
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
          <Stack gap={0}>
            <Text size="sm" lineClamp={2} maw={180}>
              {row.keyName ?? row.keyId}
            </Text>
            {withAccount && (
              <Text size="xs" c="dimmed" lineClamp={1} maw={180}>
                {accounts?.find(({ id }) => id === row.accountId)?.name ?? row.accountId}
              </Text>
            )}
          </Stack>
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
        render: (row) => (
          <Stack gap={0} align="flex-end">
            <StatusBadge status={row.status} reason={row.reason && reasonText(row.reason)} />
            {row.reason !== null && (
              <Text size="xs" c="dimmed" lineClamp={3} visibleFrom="sm">
                {reasonText(row.reason)}
              </Text>
            )}
          </Stack>
        ),
      },
    ],
    [t, language, reasonText, accounts, withAccount, onOpen],
  )
}

function ModelCell({ row }: { row: UsageRow }) {
  const { t } = useTranslation()
  return (
    <Stack gap={0} miw={110}>
      <Group gap={4} wrap="nowrap">
        <Text size="sm" lineClamp={2} {...(row.model === null && { c: 'dimmed' })}>
          {row.model ?? t('usage.noModel')}
        </Text>
        {row.isStream && (
          <Tooltip label={t('usage.stream')}>
            <IconBolt size={14} stroke={1.6} role="img" aria-label={t('usage.stream')} />
          </Tooltip>
        )}
      </Group>
      <Text size="xs" c="dimmed" lineClamp={1}>
        {protocolLabel(row.protocol)}
      </Text>
    </Stack>
  )
}

function tokenText(tokens: TokenCounts | null): string {
  if (tokens === null) return '—'
  return `${inputTokens(tokens).toLocaleString('en-US')} / ${tokens.output.toLocaleString('en-US')}`
}
