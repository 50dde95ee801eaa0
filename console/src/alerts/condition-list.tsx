import { Button, Paper, Stack, Text } from '@mantine/core'
import { useInfiniteQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { AlertRow } from '../../../src/console-api/contract.ts'
import { conditionsQuery } from '../api/queries.ts'
import { formatMoment, formatRecent } from '../format/times.ts'
import { PageError } from '../parts/feedback/page-error.tsx'

interface ConditionListProps {
  readonly row: AlertRow
  readonly account: string | undefined
}

/** Above the settings of the alert, which must stay near. */
const shownAtFirst = 3

/** The conditions that an alert has reported and that still hold. */
export function ConditionList({ row, account }: ConditionListProps) {
  const { t, i18n } = useTranslation()
  const language = i18n.language === 'zh' ? 'zh' : 'en'
  const query = useInfiniteQuery({
    ...conditionsQuery({ id: row.id, account, language }),
    enabled: row.crossings > 0,
  })
  const [isOpen, setIsOpen] = useState(false)
  const found = query.data?.pages.flatMap((page) => page.conditions)
  const conditions = isOpen ? found : found?.slice(0, shownAtFirst)
  const hasMore = !isOpen && found !== undefined && found.length > shownAtFirst
  if (row.crossings === 0) return null
  return (
    <Stack gap="xs" mb="lg" component="section" aria-label={t('alerts.conditions')}>
      <Text size="sm" fw={500}>
        {t('alerts.crossings', { count: row.crossings })}
      </Text>
      {query.error && <PageError error={query.error} reset={() => void query.refetch()} />}
      {conditions?.length === 0 && (
        <Text size="sm" c="dimmed">
          {t('alerts.conditionsOver')}
        </Text>
      )}
      {conditions?.map(({ kind, subject, since, title, text, values }) => (
        <Paper
          key={[kind, subject, since, ...Object.values(values)].join(' ')}
          withBorder
          p="xs"
          style={{ overflowWrap: 'anywhere' }}
        >
          <Text size="sm" fw={500}>
            {title}
          </Text>
          <Text size="sm">{text}</Text>
          <Text size="xs" c="dimmed" title={formatMoment(since, i18n.language)}>
            {t('alerts.reported', { time: formatRecent(since, i18n.language) })}
          </Text>
        </Paper>
      ))}
      {(hasMore || query.hasNextPage) && (
        <Button
          variant="default"
          size="xs"
          loading={query.isFetchingNextPage}
          onClick={() => (hasMore ? setIsOpen(true) : void query.fetchNextPage())}
        >
          {t('more')}
        </Button>
      )}
    </Stack>
  )
}
