import { Group, Stack, Text, Title } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import { chargeFlags, type UsageDetail } from '../../../src/console-api/contract.ts'
import { recordedQuery, recordingQuery } from '../api/queries.ts'
import { usageDetailQuery } from '../api/usage-queries.ts'
import { findCode } from '../codes/find-code.ts'
import { useKnownText } from '../codes/use-known-text.ts'
import { useReasonText } from '../codes/use-reason-text.ts'
import { useWarningText } from '../codes/use-warning-text.ts'
import { SidePanel } from '../parts/dialogs/side-panel.tsx'
import { PageError } from '../parts/feedback/page-error.tsx'
import { PagePending } from '../parts/feedback/page-pending.tsx'
import { StatusBadge } from '../parts/values/status-badge.tsx'
import { AttemptList } from './attempt-list.tsx'
import { CostTable } from './cost-table.tsx'
import { RecordedBodies } from './recorded-bodies.tsx'
import { RequestFacts } from './request-facts.tsx'

interface UsageDrawerProps {
  readonly requestId: string | undefined
  readonly onClose: () => void
}

/** Details of one request, beside the log. */
export function UsageDrawer({ requestId, onClose }: UsageDrawerProps) {
  const { t } = useTranslation()
  return (
    <SidePanel
      isOpen={requestId !== undefined}
      onClose={onClose}
      size={640}
      title={t('requestDetail.title')}
    >
      {requestId !== undefined && <DetailLoader requestId={requestId} />}
    </SidePanel>
  )
}

function DetailLoader({ requestId }: { requestId: string }) {
  const detail = useQuery(usageDetailQuery(requestId))
  if (detail.error) return <PageError error={detail.error} reset={() => void detail.refetch()} />
  return detail.data ? <RequestDetail detail={detail.data} /> : <PagePending />
}

function RequestDetail({ detail }: { detail: UsageDetail }) {
  const { t } = useTranslation()
  const reasonText = useReasonText()
  const warningText = useWarningText()
  const help = useKnownText()(`reasonHelp.${detail.reason}`)
  const flagText = (flag: string) => {
    const known = findCode(chargeFlags, flag)
    return known === undefined ? flag : t(`flag.${known}`)
  }
  return (
    <Stack gap="lg">
      <Group gap="xs">
        <StatusBadge status={detail.status} reason={null} />
        <Text fw={600}>{detail.model ?? t('usage.noModel')}</Text>
        {detail.reason !== null && (
          <>
            <Text size="sm">{reasonText(detail.reason)}</Text>
            <Text size="xs" c="dimmed" ff="monospace">
              {detail.reason}
            </Text>
          </>
        )}
      </Group>
      {help !== undefined && <Text size="sm">{help}</Text>}
      <Part title={t('requestDetail.cost')}>
        <CostTable detail={detail} />
      </Part>
      <Part title={t('requestDetail.attempts')}>
        <AttemptList attempts={detail.attempts} />
      </Part>
      {detail.warnings.length > 0 && (
        <Part title={t('requestDetail.warnings')}>
          {detail.warnings.map((warning) => (
            <Text key={warning} size="sm" c="orange">
              {warningText(warning)}
            </Text>
          ))}
        </Part>
      )}
      {detail.flags.length > 0 && (
        <Part title={t('requestDetail.flags')}>
          {detail.flags.map((flag) => (
            <Text key={flag} size="sm">
              {flagText(flag)}
            </Text>
          ))}
        </Part>
      )}
      <Part title={t('requestDetail.facts')}>
        <RequestFacts detail={detail} />
      </Part>
      <RecordedPart key={detail.requestId} detail={detail} />
    </Stack>
  )
}

/** The recorded bodies, for users who may read them. */
function RecordedPart({ detail }: { detail: UsageDetail }) {
  const { t } = useTranslation()
  const { accountId, requestId } = detail
  const mayRead = useQuery(recordingQuery(accountId)).data?.mayRead ?? false
  const row = useQuery({ ...recordedQuery(accountId, requestId), enabled: mayRead }).data
  return row ? (
    <Part title={t('recorded.title')}>
      <RecordedBodies row={row} />
    </Part>
  ) : null
}

function Part({ title, children }: { title: string; children: ReactNode }) {
  return (
    <section>
      <Title order={3} fz="h5" mb="xs">
        {title}
      </Title>
      {children}
    </section>
  )
}
