import { Button, Stack, Tooltip } from '@mantine/core'
import { keepPreviousData, useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { useMemo, useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { SeriesBy, UsageQuery } from '../../../src/console-api/contract.ts'
import { ApiError, fileUrl } from '../api/client.ts'
import { overviewQuery } from '../api/queries.ts'
import { isLive, usageQuery, usageSeriesQuery, usageTotalsQuery } from '../api/usage-queries.ts'
import { SeriesCard } from '../chart/series-card.tsx'
import { IconDownload, IconFilterOff } from '../icons/icons.ts'
import { hasFailed } from '../parts/feedback/has-failed.ts'
import { PageError } from '../parts/feedback/page-error.tsx'
import { EmptyState } from '../parts/lists/empty-state.tsx'
import { useNewest } from '../parts/lists/use-newest.ts'
import { PageHeader } from '../parts/page/page-header.tsx'
import { LiveButton } from './live-button.tsx'
import { UsageDrawer } from './usage-drawer.tsx'
import { UsageEmpty } from './usage-empty.tsx'
import { UsageFilters } from './usage-filters.tsx'
import {
  narrowingNames,
  type UsageSearch,
  type UsageSearchChange,
  usageFilter,
} from './usage-search.ts'
import { UsageTable } from './usage-table.tsx'
import { UsageTotals } from './usage-totals.tsx'

interface UsageExplorerProps {
  readonly title: string
  readonly text: string
  readonly search: UsageSearch
  readonly onSearch: (change: UsageSearchChange) => void
  /** Whether to show and filter by account. */
  readonly withAccount: boolean
}

const byAll: readonly SeriesBy[] = ['model', 'key', 'group', 'protocol']
const byAccounts: readonly SeriesBy[] = ['account', ...byAll]

/** Request log with filter, totals, chart and request details. */
export function UsageExplorer(props: UsageExplorerProps) {
  const { title, text, search, onSearch, withAccount } = props
  const { t } = useTranslation()
  const [isWanted, setWanted] = useState(true)
  const [by, setBy] = useState<SeriesBy>('model')
  const change = useNewest(onSearch)
  const filter = usageFilter(search, Date.now())
  const usage = useInfiniteQuery({
    ...usageQuery(filter),
    ...(!isWanted && { refetchInterval: false }),
    placeholderData: keepPreviousData,
  })
  const totals = useQuery({
    ...usageTotalsQuery(filter),
    ...(!isWanted && { refetchInterval: false }),
  })
  const series = useQuery({
    ...usageSeriesQuery(filter, by),
    ...(!isWanted && { refetchInterval: false }),
  })
  const rows = useMemo(() => usage.data?.pages.flatMap((page) => page.rows), [usage.data])
  const isLost = [usage, totals, series].some(
    ({ failureReason, error, fetchStatus }) =>
      isNoAnswer(failureReason ?? error) || fetchStatus === 'paused',
  )
  const failed = [totals, series].find(hasFailed)
  const isRunning = isWanted && isLive(usage.data?.pages.length ?? 0)
  return (
    <>
      <PageHeader title={title} text={text}>
        <LiveButton isLive={isRunning} isLost={isLost} onToggle={() => setWanted(!isRunning)} />
        <Tooltip label={t('usage.exportText')}>
          <Button
            component="a"
            href={fileUrl('GET /usage/export', { query: filter })}
            download
            variant="default"
            leftSection={<IconDownload size={16} />}
            aria-label={t('usage.exportText')}
          >
            {t('usage.export')}
          </Button>
        </Tooltip>
      </PageHeader>
      <UsageFilters search={search} onChange={change} withAccount={withAccount} />
      {failed?.error && !usage.error && (
        <PageError error={failed.error} reset={() => void failed.refetch()} />
      )}
      {!hasFailed(totals) && <UsageTotals totals={totals.data} />}
      <Stack gap="md">
        {!hasFailed(series) && totals.data?.requests !== 0 && (
          <SeriesCard
            series={series.data}
            by={by}
            choices={withAccount ? byAccounts : byAll}
            onBy={setBy}
          />
        )}
        <UsageTable
          rows={rows}
          query={usage}
          withAccount={withAccount}
          onOpen={(open) => onSearch({ open })}
          empty={<NoRows filter={filter} />}
        />
      </Stack>
      <UsageDrawer requestId={search.open} onClose={() => onSearch({ open: undefined })} />
    </>
  )
}

/** False if the gateway has rejected the request itself, such as an invalid filter. */
function isNoAnswer(error: Error | null): boolean {
  return error !== null && !(error instanceof ApiError && error.status >= 400 && error.status < 500)
}

/** Distinguishes an empty filter result from an account without any request. */
function NoRows({ filter }: { filter: UsageQuery }) {
  const { t } = useTranslation()
  const isNarrow = narrowingNames.some((name) => filter[name] !== undefined)
  const all = useQuery(overviewQuery(filter.account, '90d'))
  const isNew = !isNarrow && all.data?.now.requests === 0
  if (isNew) return <UsageEmpty model={all.data?.sampleModel ?? null} account={filter.account} />
  return (
    <EmptyState icon={<IconFilterOff />} title={t('usage.noneTitle')} text={t('usage.noneText')} />
  )
}
