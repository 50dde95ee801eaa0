import { Badge, Button, Center, Group, Paper, Progress, Stack, Text, Tooltip } from '@mantine/core'
import { IconArrowNarrowRight, IconKey } from '@tabler/icons-react'
import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { DataTable, type DataTableColumn } from 'mantine-datatable'
import { useTranslation } from 'react-i18next'
import type { KeyRow, KeyState } from '../../../src/console-api/contract.ts'
import { keysQuery, sessionQuery } from '../api/queries.ts'
import { formatDollars } from '../format/dollars.ts'
import { formatDay } from '../format/times.ts'
import { EmptyState } from '../parts/empty-state.tsx'
import { fromLarge, fromSmall } from '../parts/media.ts'
import { Money } from '../parts/money.tsx'
import { PageAnchor } from '../parts/page-anchor.tsx'
import { PageError } from '../parts/page-error.tsx'
import { PageHeader } from '../parts/page-header.tsx'
import { useAccount } from '../shell/use-account.ts'

export function KeysPage() {
  const { t } = useTranslation()
  const account = useAccount()
  const keys = useInfiniteQuery(keysQuery(account))
  const rows = keys.data?.pages.flatMap((page) => page.keys)
  const columns = useKeyColumns(account)
  const accounts = useQuery(sessionQuery).data?.accounts ?? []
  const onlyAccount = accounts.length === 1 ? accounts[0]?.id : undefined
  return (
    <>
      <PageHeader title={t('keys.title')} />
      {keys.error && <PageError error={keys.error} reset={() => void keys.refetch()} />}
      {rows?.length === 0 ? (
        <Paper withBorder>
          <EmptyState
            icon={<IconKey />}
            title={t('keys.emptyTitle')}
            text={t('keys.emptyText')}
            command={`npm run tollgate -- keys create --account ${account ?? onlyAccount ?? '<account>'} --name laptop`}
          />
        </Paper>
      ) : (
        <DataTable
          withTableBorder
          borderRadius="md"
          highlightOnHover
          verticalSpacing="sm"
          minHeight={rows ? 0 : 240}
          fetching={keys.isPending}
          records={rows ?? []}
          columns={columns}
          noRecordsText=""
        />
      )}
      {keys.hasNextPage && (
        <Center mt="md">
          <Button
            variant="default"
            loading={keys.isFetchingNextPage}
            onClick={() => void keys.fetchNextPage()}
          >
            {t('usage.more')}
          </Button>
        </Center>
      )}
    </>
  )
}

function useKeyColumns(account: string | undefined): DataTableColumn<KeyRow>[] {
  const { t, i18n } = useTranslation()
  return [
    {
      accessor: 'name',
      title: t('keys.name'),
      render: (key) => (
        <Stack gap={0}>
          <Text size="sm" fw={500} lineClamp={2} maw={280}>
            {key.name}
          </Text>
          <Text size="xs" c="dimmed" ff="monospace">
            {key.hint}
          </Text>
        </Stack>
      ),
    },
    {
      accessor: 'state',
      title: t('keys.state'),
      render: ({ state }) => (
        <Badge color={stateColor[state]} variant="dot">
          {t(`keys.state.${state}`)}
        </Badge>
      ),
    },
    {
      accessor: 'groups',
      title: t('keys.groups'),
      visibleMediaQuery: fromSmall,
      render: ({ groups }) => <Groups groups={groups} />,
    },
    {
      accessor: 'models',
      title: t('keys.models'),
      visibleMediaQuery: fromLarge,
      render: ({ models }) => <Models models={models} />,
    },
    {
      accessor: 'spentNano',
      title: `${t('keys.spent')} / ${t('keys.quota')}`,
      render: (key) => <Quota spentNano={key.spentNano} quotaNano={key.quotaNano} />,
    },
    {
      accessor: 'expiresAt',
      title: t('keys.expires'),
      visibleMediaQuery: fromSmall,
      noWrap: true,
      render: ({ expiresAt }) =>
        expiresAt === null ? (
          <Text size="sm" c="dimmed">
            {t('keys.never')}
          </Text>
        ) : (
          formatDay(expiresAt, i18n.language)
        ),
    },
    {
      accessor: 'id',
      title: '',
      textAlign: 'right',
      visibleMediaQuery: fromSmall,
      render: ({ id, name }) => (
        <PageAnchor
          to="/usage"
          search={{ ...(account && { account }), key: id }}
          size="sm"
          aria-label={t('keys.usageOf', { name })}
        >
          {t('nav.usage')}
        </PageAnchor>
      ),
    },
  ]
}

const stateColor: Readonly<Record<KeyState, string>> = {
  active: 'teal',
  disabled: 'gray',
  expired: 'orange',
  exhausted: 'red',
}

function Groups({ groups }: { groups: readonly string[] }) {
  const { t } = useTranslation()
  const badges = groups.map((group, index) => (
    <Group key={group} gap={2} wrap="nowrap">
      {index > 0 && <IconArrowNarrowRight size={14} stroke={1.4} />}
      <Badge color="gray">{group}</Badge>
    </Group>
  ))
  const list = <Group gap={2}>{badges}</Group>
  return groups.length > 1 ? <Tooltip label={t('keys.automatic')}>{list}</Tooltip> : list
}

function Models({ models }: { models: readonly string[] | null }) {
  const { t } = useTranslation()
  if (models === null) return <Text size="sm">{t('keys.allModels')}</Text>
  if (models.length === 0) {
    return (
      <Text size="sm" c="orange">
        {t('keys.noModels')}
      </Text>
    )
  }
  const [first] = models
  if (models.length === 1) return <Text size="sm">{first}</Text>
  return (
    <Tooltip label={models.join(', ')} multiline maw={360}>
      <Text size="sm" td="underline dotted" span>
        {t('keys.modelCount', { count: models.length })}
      </Text>
    </Tooltip>
  )
}

function Quota({ spentNano, quotaNano }: { spentNano: string; quotaNano: string | null }) {
  const { t } = useTranslation()
  const part = quotaNano === null ? 0 : percentOf(BigInt(spentNano), BigInt(quotaNano))
  return (
    <Stack gap={4} miw={120} maw={220}>
      <Text size="sm" component="div">
        <Money nano={spentNano} />{' '}
        <Text span size="xs" c="dimmed" className="figures">
          {quotaNano === null
            ? `· ${t('keys.noQuota')}`
            : t('keys.ofQuota', { quota: formatDollars(quotaNano) })}
        </Text>
      </Text>
      {quotaNano !== null && (
        <Progress
          value={part}
          size="sm"
          color={part >= 100 ? 'red' : part >= 80 ? 'orange' : 'teal'}
          aria-label={t('keys.quota')}
        />
      )}
    </Stack>
  )
}

function percentOf(part: bigint, whole: bigint): number {
  return whole <= 0n ? 100 : Math.min(100, Number((part * 1000n) / whole) / 10)
}
