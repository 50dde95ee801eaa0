import { Group, Paper, SimpleGrid, Skeleton, Stack, Text, Title } from '@mantine/core'
import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import type { AccountOverview } from '../../../src/console-api/contract.ts'
import { overviewQuery, usageQuery } from '../api/queries.ts'
import { Money } from '../parts/money.tsx'
import { PageAnchor } from '../parts/page-anchor.tsx'
import { PageError } from '../parts/page-error.tsx'
import { PageHeader } from '../parts/page-header.tsx'
import { useAccount } from '../shell/use-account.ts'
import { UsageEmpty } from '../usage/usage-empty.tsx'
import { UsageTable } from '../usage/usage-table.tsx'
import { AccountsTable } from './accounts-table.tsx'

const latestMax = 8

export function OverviewPage() {
  const { t } = useTranslation()
  const account = useAccount()
  const overview = useQuery(overviewQuery(account))
  const accounts = overview.data?.accounts
  return (
    <>
      <PageHeader title={t('overview.title')} />
      {overview.error && <PageError error={overview.error} reset={() => void overview.refetch()} />}
      <Stack gap="lg">
        <Cards accounts={accounts} />
        {accounts !== undefined && accounts.length > 1 && (
          <Section title={t('overview.accounts')}>
            <AccountsTable accounts={accounts} />
          </Section>
        )}
        <Latest sampleModel={overview.data?.sampleModel ?? null} />
      </Stack>
    </>
  )
}

function Cards({ accounts }: { accounts: readonly AccountOverview[] | undefined }) {
  const { t } = useTranslation()
  const total = (amount: (account: AccountOverview) => string) =>
    accounts?.reduce((sum, account) => sum + BigInt(amount(account)), 0n)
  const count = (figure: (account: AccountOverview) => number) =>
    accounts?.reduce((sum, account) => sum + figure(account), 0)
  const keyCount = count((account) => account.keyCount) ?? 0
  return (
    <SimpleGrid cols={{ base: 1, xs: 2, lg: 4 }} spacing="md">
      <Card label={t('overview.available')} amount={total((account) => account.availableNano)} />
      <Card
        label={t('overview.held')}
        amount={total((account) => account.heldNano)}
        hint={t('overview.heldHint')}
      />
      <Card label={t('overview.spent')} amount={total((account) => account.spentNano)} />
      <Card
        label={t('overview.requests')}
        figure={count((account) => account.requestCount)}
        hint={t('overview.keys', { count: keyCount })}
      />
    </SimpleGrid>
  )
}

function Card(props: {
  label: string
  amount?: bigint | undefined
  figure?: number | undefined
  hint?: string
}) {
  const { amount, figure } = props
  return (
    <Paper withBorder p="md">
      <Text size="sm" c="dimmed">
        {props.label}
      </Text>
      <Text fz={26} fw={600} lh={1.4} component="div">
        {amount !== undefined && <Money nano={amount} />}
        {figure !== undefined && <span className="figures">{figure.toLocaleString('en-US')}</span>}
        {amount === undefined && figure === undefined && <Skeleton h={26} w={120} my={5} />}
      </Text>
      <Text size="xs" c="dimmed" mih={{ base: 0, xs: 18 }}>
        {props.hint}
      </Text>
    </Paper>
  )
}

function Latest({ sampleModel }: { sampleModel: string | null }) {
  const { t } = useTranslation()
  const account = useAccount()
  const navigate = useNavigate()
  const usage = useInfiniteQuery(usageQuery(account, undefined))
  const rows = usage.data?.pages[0]?.rows
  const search = account === undefined ? {} : { account }
  const isEmpty = rows?.length === 0
  return (
    <Section
      title={t('overview.latest')}
      action={
        !isEmpty && (
          <PageAnchor to="/usage" search={search} size="sm">
            {t('overview.allUsage')}
          </PageAnchor>
        )
      }
    >
      {isEmpty ? (
        <Paper withBorder>
          <UsageEmpty model={sampleModel} />
        </Paper>
      ) : (
        <UsageTable
          rows={rows?.slice(0, latestMax)}
          onOpen={(request) => void navigate({ to: '/usage', search: { ...search, request } })}
        />
      )}
    </Section>
  )
}

function Section(props: { title: string; action?: ReactNode; children: ReactNode }) {
  return (
    <section>
      <Group justify="space-between" mb="xs">
        <Title order={2} fz="h4">
          {props.title}
        </Title>
        {props.action}
      </Group>
      {props.children}
    </section>
  )
}
