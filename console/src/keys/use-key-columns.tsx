import { Anchor, Box, Group, Stack, Text } from '@mantine/core'
import type { DataTableColumn } from 'mantine-datatable'
import { useMemo } from 'react'
import { useTranslation } from 'react-i18next'
import type { KeyRow } from '../../../src/console-api/contract.ts'
import type { KeySort } from '../api/queries.ts'
import { formatAgo, formatDay } from '../format/times.ts'
import { fromMedium, fromSmall } from '../parts/lists/media.ts'
import { type ListOrder, SortTitle } from '../parts/lists/sort-title.tsx'
import { useNewest } from '../parts/lists/use-newest.ts'
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
  const { t, i18n } = useTranslation()
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
            {showsOwner && (
              <Box hiddenFrom="sm" mt={2}>
                <KeyOwner row={key} />
              </Box>
            )}
            <Group gap={8} mt={2}>
              <KeyStateBadge state={key.state} />
              <Text size="xs" c="dimmed" ff="monospace">
                {key.hint}
              </Text>
            </Group>
          </Stack>
        ),
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
        title: `${t('keys.groups')} / ${t('keys.models')}`,
        visibleMediaQuery: fromMedium,
        render: ({ groups, models }) => (
          <Stack gap={4} maw={180}>
            <GroupsCell groups={groups} />
            <ModelsCell models={models} />
          </Stack>
        ),
      },
      {
        accessor: 'spentNano',
        title: `${t('keys.spent')} / ${t('keys.quota')}`,
        render: ({ spentNano, quotaNano, budgets }) => (
          <QuotaCell spentNano={spentNano} quotaNano={quotaNano} budgets={budgets} maxWidth={220} />
        ),
      },
      {
        accessor: 'lastUsedAt',
        title: t('keys.lastUsed'),
        visibleMediaQuery: fromSmall,
        noWrap: true,
        render: ({ lastUsedAt }) =>
          lastUsedAt === null ? (
            <Text size="sm" c="dimmed">
              {t('keys.neverUsed')}
            </Text>
          ) : (
            <Text size="sm" className="sentence">
              {formatAgo(lastUsedAt, i18n.language)}
            </Text>
          ),
      },
      {
        accessor: 'created',
        title: (
          <Stack gap={2}>
            <SortTitle name={t('keys.created')} by="created" isDescendingFirst {...sorting} />
            <SortTitle name={t('keys.expires')} by="expires" {...sorting} />
          </Stack>
        ),
        visibleMediaQuery: fromMedium,
        noWrap: true,
        render: ({ createdAt, expiresAt, state }) => (
          <>
            <Text size="sm">{formatDay(createdAt, i18n.language)}</Text>
            <Text size="xs" c="dimmed">
              {expiresAt === null
                ? t('keys.never')
                : t(state === 'expired' ? 'keys.expiredOn' : 'keys.expiresOn', {
                    day: formatDay(expiresAt, i18n.language),
                  })}
            </Text>
          </>
        ),
      },
    ]
  }, [t, i18n.language, openRow, accountName, showsOwner, order, onOrder])
}
