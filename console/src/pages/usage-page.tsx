import { Badge, Button, Center, Group, Paper } from '@mantine/core'
import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { useTranslation } from 'react-i18next'
import { isLive, overviewQuery, usageQuery } from '../api/queries.ts'
import { PageError } from '../parts/page-error.tsx'
import { PageHeader } from '../parts/page-header.tsx'
import { UsageDrawer } from '../usage/usage-drawer.tsx'
import { UsageEmpty } from '../usage/usage-empty.tsx'
import { UsageTable } from '../usage/usage-table.tsx'

export function UsagePage() {
  const { t } = useTranslation()
  const search = useSearch({ from: '/shell/usage' })
  const { account, key } = search
  const navigate = useNavigate({ from: '/usage' })
  const usage = useInfiniteQuery(usageQuery(account, key))
  const rows = usage.data?.pages.flatMap((page) => page.rows)
  const open = (request: string) => void navigate({ search: (old) => ({ ...old, request }) })
  const close = () => void navigate({ search: ({ request: _closed, ...rest }) => rest })
  return (
    <>
      <PageHeader title={t('usage.title')}>
        <Group gap="xs">
          {key !== undefined && (
            <Button
              size="compact-sm"
              variant="light"
              onClick={() => void navigate({ search: ({ key: _left, ...rest }) => rest })}
            >
              {t('usage.onlyKey', { key: rows?.[0]?.keyName ?? key })} · {t('usage.allKeys')}
            </Button>
          )}
          <LiveBadge pageCount={usage.data?.pages.length ?? 0} />
        </Group>
      </PageHeader>
      {usage.error && <PageError error={usage.error} reset={() => void usage.refetch()} />}
      {rows?.length === 0 ? <Empty account={account} /> : <UsageTable rows={rows} onOpen={open} />}
      {usage.hasNextPage && (
        <Center mt="md">
          <Button
            variant="default"
            loading={usage.isFetchingNextPage}
            onClick={() => void usage.fetchNextPage()}
          >
            {t('usage.more')}
          </Button>
        </Center>
      )}
      <UsageDrawer requestId={search.request} onClose={close} />
    </>
  )
}

function LiveBadge({ pageCount }: { pageCount: number }) {
  const { t } = useTranslation()
  return isLive(pageCount) ? (
    <Badge variant="dot" color="teal">
      {t('usage.live')}
    </Badge>
  ) : (
    <Badge variant="dot" color="gray">
      {t('usage.paused')}
    </Badge>
  )
}

function Empty({ account }: { account: string | undefined }) {
  const overview = useQuery(overviewQuery(account))
  return (
    <Paper withBorder>
      <UsageEmpty model={overview.data?.sampleModel ?? null} />
    </Paper>
  )
}
