import { Paper, SegmentedControl, SimpleGrid, Stack } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { useTranslation } from 'react-i18next'
import {
  type OverviewAnswer,
  type OverviewPeriod,
  overviewPeriods,
  type SeriesBy,
} from '../../../src/console-api/contract.ts'
import { overviewQuery } from '../api/queries.ts'
import { SeriesCard } from '../chart/series-card.tsx'
import { IconKey } from '../icons/icons.ts'
import { hasFailed } from '../parts/feedback/has-failed.ts'
import { PageError } from '../parts/feedback/page-error.tsx'
import { PagePending } from '../parts/feedback/page-pending.tsx'
import { EmptyState } from '../parts/lists/empty-state.tsx'
import { ButtonLink } from '../parts/page/button-link.tsx'
import { PageAnchor } from '../parts/page/page-anchor.tsx'
import { PageHeader } from '../parts/page/page-header.tsx'
import { Section } from '../parts/page/section.tsx'
import { useMayChange } from '../shell/use-may-change.ts'
import { UsageEmpty } from '../usage/usage-empty.tsx'
import { AccountsTable } from './accounts-table.tsx'
import { BudgetCards } from './budget-cards.tsx'
import { CreditCards } from './credit-cards.tsx'
import { FailuresList } from './failures-list.tsx'
import { MoversList } from './movers-list.tsx'
import { PeriodCards } from './period-cards.tsx'

const splits: readonly SeriesBy[] = ['model', 'key', 'group']

export function OverviewPage() {
  const { t } = useTranslation()
  const search = useSearch({ from: '/shell/' })
  const navigate = useNavigate({ from: '/' })
  const period = overviewPeriods.find((each) => each === search.period) ?? '7d'
  const by = splits.find((each) => each === search.by) ?? 'model'
  const overview = useQuery(overviewQuery(search.account, period, by))
  const data = overview.data
  const change = (next: { period?: OverviewPeriod; by?: SeriesBy }) =>
    void navigate({ search: (old) => ({ ...old, ...next }), replace: true })
  return (
    <>
      <PageHeader title={t('overview.title')}>
        <SegmentedControl
          aria-label={t('overview.period')}
          data={overviewPeriods.map((value) => ({ value, label: t(`overview.period.${value}`) }))}
          value={period}
          onChange={(value) =>
            change({ period: overviewPeriods.find((each) => each === value) ?? '7d' })
          }
        />
      </PageHeader>
      {overview.error && <PageError error={overview.error} reset={() => void overview.refetch()} />}
      {hasFailed(overview) ? (
        overview.isFetching && <PagePending />
      ) : (
        <Stack gap="md">
          {data?.credit !== null && <CreditCards credit={data?.credit} />}
          <BudgetCards account={search.account} />
          <PeriodCards overview={data} />
          {data && isUnused(data) ? (
            <FirstSteps overview={data} />
          ) : (
            <SeriesCard
              series={data?.series}
              by={by}
              choices={splits}
              onBy={(next) => change({ by: next })}
            />
          )}
          {data && !isUnused(data) && <Notes overview={data} period={period} />}
          {data !== undefined && data.accounts.length > 1 && (
            <Section title={t('overview.accounts')}>
              <AccountsTable accounts={data.accounts} />
            </Section>
          )}
        </Stack>
      )}
    </>
  )
}

/** True if the account has never been used: the page then explains how to start. */
function isUnused({ now, credit, accounts }: OverviewAnswer): boolean {
  const spent = [credit, ...accounts].map((each) => each?.spentNano ?? '0')
  return now.requests === 0 && spent.every((nano) => BigInt(nano) === 0n)
}

function FirstSteps({ overview }: { overview: OverviewAnswer }) {
  const { t } = useTranslation()
  const { account } = useSearch({ from: '/shell/' })
  const mayChange = useMayChange(account)
  return (
    <Paper withBorder>
      {overview.hasKeys || !mayChange ? (
        <UsageEmpty model={overview.sampleModel} account={account} />
      ) : (
        <EmptyState
          icon={<IconKey />}
          title={t('overview.noKeyTitle')}
          text={t('overview.noKeyText')}
          action={
            <ButtonLink to="/keys" search={{ key: 'new' }}>
              {t('keys.new')}
            </ButtonLink>
          }
        />
      )}
    </Paper>
  )
}

function Notes({ overview, period }: { overview: OverviewAnswer; period: OverviewPeriod }) {
  const { t } = useTranslation()
  const { account } = useSearch({ from: '/shell/' })
  const navigate = useNavigate()
  const search = account === undefined ? {} : { account }
  return (
    <SimpleGrid cols={{ base: 1, md: 2 }} spacing="md">
      <Section
        title={t('overview.changes')}
        text={t('overview.changesText', { period: t(`overview.period.${period}`) })}
      >
        <MoversList movers={overview.movers} by={overview.series.by} />
      </Section>
      <Section
        title={t('overview.failures')}
        action={
          overview.failures.length > 0 && (
            <PageAnchor to="/usage" search={{ ...search, status: 'error', period }} size="sm">
              {t('overview.allFailures')}
            </PageAnchor>
          )
        }
      >
        <FailuresList
          failures={overview.failures}
          onOpen={(open) => void navigate({ to: '/usage', search: { ...search, open } })}
        />
      </Section>
    </SimpleGrid>
  )
}
