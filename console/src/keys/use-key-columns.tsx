import { Anchor, Box, Stack, Text } from '@mantine/core'
import type { DataTableColumn } from 'mantine-datatable'
import { useMemo } from 'react'
import { useTranslation } from 'react-i18next'
import type { KeyRow } from '../../../src/console-api/contract.ts'
import type { KeySort } from '../api/queries.ts'
import { formatAgo, formatDay } from '../format/times.ts'

import { fromLarge, fromMedium, fromSmall } from '../parts/media.ts'
import { type ListOrder, SortTitle } from '../parts/sort-title.tsx'
import { useNewest } from '../parts/use-newest.ts'
import { GroupsCell, ModelsCell, QuotaCell } from './key-cells.tsx'
import { KeyOwner } from './key-owner.tsx'
import { KeyStateBadge } from './key-state-badge.tsx'

export function useKeyColumns(props: {
  onOpen: (key: KeyRow) => void
  accountName: ((id: string) => string) | undefined
  /** Members see only their own keys. */
  showsOwner: boolean
  order: ListOrder<KeySort>
  onOrder: (order: ListOrder<KeySort>) => void
}): DataTableColumn<KeyRow>[] {
  const { t } = useTranslation()
  const { onOpen, accountName, showsOwner, order, onOrder } = props
  const openRow = useNewest(onOpen)
  return useMemo(() => {
    const sorting = { order, onOrder }
    return [
      {
        accessor: 'name',
        title: <SortTitle name={t('keys.name')} by="name" {...sorting} />,
        render: (key) => (
          <Stack gap={0} miw={150}>
            <Anchor
              component="button"
              type="button"
              size="sm"
              fw={500}
              ta="left"
              c="var(--mantine-color-text)"
              lineClamp={2}
              maw={280}
              style={{ overflowWrap: 'anywhere' }}
              onClick={(event) => {
                event.stopPropagation()
                openRow(key)
              }}
            >
              {key.name}
            </Anchor>
            {accountName && (
              <Text size="xs" c="dimmed" lineClamp={1} maw={280}>
                {accountName(key.accountId)}
              </Text>
            )}
            <Text size="xs" c="dimmed" ff="monospace" lineClamp={1}>
              {key.hint}
            </Text>
            <Box hiddenFrom="sm" mt={4}>
              <KeyStateBadge state={key.state} />
            </Box>
          </Stack>
        ),
      },
      {
        accessor: 'state',
        title: t('keys.state'),
        visibleMediaQuery: fromSmall,
        render: ({ state }) => <KeyStateBadge state={state} />,
      },
      ...(showsOwner
        ? [
            {
              accessor: 'ownerId',
              title: t('keys.owner'),
              visibleMediaQuery: fromSmall,
              render: (key: KeyRow) => <KeyOwner row={key} />,
            },
          ]
        : []),
      {
        accessor: 'groups',
        title: t('keys.groups'),
        visibleMediaQuery: fromMedium,
        render: ({ groups }) => <GroupsCell groups={groups} />,
      },
      {
        accessor: 'models',
        title: t('keys.models'),
        visibleMediaQuery: fromLarge,
        render: ({ models }) => <ModelsCell models={models} />,
      },
      {
        accessor: 'spentNano',
        title: `${t('keys.spent')} / ${t('keys.quota')}`,
        render: ({ spentNano, quotaNano, budgets }) => (
          <QuotaCell spentNano={spentNano} quotaNano={quotaNano} budgets={budgets} />
        ),
      },
      {
        accessor: 'lastUsedAt',
        title: t('keys.lastUsed'),
        visibleMediaQuery: fromSmall,
        noWrap: true,
        render: ({ lastUsedAt }) => <Moment at={lastUsedAt} none={t('keys.neverUsed')} isAgo />,
      },
      {
        accessor: 'created',
        title: <SortTitle name={t('keys.created')} by="created" isDescendingFirst {...sorting} />,
        visibleMediaQuery: fromMedium,
        noWrap: true,
        render: ({ createdAt }) => <Moment at={createdAt} none="" />,
      },
      {
        accessor: 'expires',
        title: <SortTitle name={t('keys.expires')} by="expires" {...sorting} />,
        visibleMediaQuery: fromMedium,
        noWrap: true,
        render: ({ expiresAt }) => <Moment at={expiresAt} none={t('keys.never')} />,
      },
    ]
  }, [t, openRow, accountName, showsOwner, order, onOrder])
}

interface MomentProps {
  readonly at: number | null
  readonly none: string
  readonly isAgo?: boolean
}

function Moment({ at, none, isAgo = false }: MomentProps) {
  const { i18n } = useTranslation()
  return (
    <Text size="sm" {...(at === null && { c: 'dimmed' })}>
      {at === null ? none : (isAgo ? formatAgo : formatDay)(at, i18n.language)}
    </Text>
  )
}
