import { Badge, Box, SegmentedControl, Text } from '@mantine/core'
import { useInfiniteQuery } from '@tanstack/react-query'
import type { DataTableColumn } from 'mantine-datatable'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { type MessageRow, messageStates } from '../../../src/console-api/contract.ts'
import { messagesQuery } from '../api/queries.ts'
import { useDeliveryText } from '../codes/use-delivery-text.ts'
import { useKnownText } from '../codes/use-known-text.ts'
import { formatMoment, formatRecent } from '../format/times.ts'
import { IconMailOff } from '../icons/icons.ts'
import { EmptyState } from '../parts/lists/empty-state.tsx'
import { ListTable } from '../parts/lists/list-table.tsx'
import { fromSmall } from '../parts/lists/media.ts'
import { Section } from '../parts/page/section.tsx'
import { ResendButton } from './resend-button.tsx'

const colors = { waiting: 'blue', sent: 'teal', failed: 'red' } as const

interface MessageListProps {
  readonly account: string | undefined
  readonly accountName: (id: string | null) => string
}

const allStates = 'all'

/** Messages that were sent, wait, or were given up; newest first. */
export function MessageList({ account, accountName }: MessageListProps) {
  const { t } = useTranslation()
  const [shown, setShown] = useState<string>(allStates)
  const state = messageStates.find((each) => each === shown)
  const messages = useInfiniteQuery(messagesQuery(account, state))
  const rows = messages.data?.pages.flatMap((page) => page.messages)
  const columns = useMessageColumns(accountName)
  const choice = (
    <SegmentedControl
      aria-label={t('messages.state')}
      size="xs"
      value={shown}
      onChange={setShown}
      data={[
        { value: allStates, label: t('messages.all') },
        ...messageStates.map((each) => ({ value: each, label: t(`messages.state.${each}`) })),
      ]}
    />
  )
  return (
    <Section
      title={t('messages.title')}
      action={(rows?.length !== 0 || state !== undefined) && choice}
    >
      <ListTable<MessageRow>
        rows={rows}
        columns={columns}
        idOf={({ id }) => id}
        query={messages}
        empty={
          <EmptyState
            icon={<IconMailOff />}
            title={t(state ? 'messages.noneTitle' : 'messages.emptyTitle')}
            text={t('messages.emptyText')}
          />
        }
      />
    </Section>
  )
}

function useMessageColumns(
  accountName: (id: string | null) => string,
): DataTableColumn<MessageRow>[] {
  const { t, i18n } = useTranslation()
  const knownText = useKnownText()
  const deliveryText = useDeliveryText()
  const purposeText = (purpose: string) =>
    knownText(`messages.purpose.${purpose}`) ?? knownText(`alerts.kind.${purpose}`) ?? purpose
  return [
    {
      accessor: 'purpose',
      title: t('messages.purpose'),
      render: ({ purpose, title, accountId, alertName, createdAt, target, resendOf }) => (
        <Box miw={130}>
          <Text size="sm" style={{ overflowWrap: 'anywhere' }}>
            {title ?? purposeText(purpose)}
          </Text>
          {resendOf !== null && (
            <Text size="xs" c="dimmed">
              {t('messages.isResend')}
            </Text>
          )}
          <Text size="xs" c="dimmed" style={{ overflowWrap: 'anywhere' }}>
            {[accountName(accountId), ...(alertName === null ? [] : [alertName])].join(' · ')}
          </Text>
          <Text size="xs" c="dimmed" title={formatMoment(createdAt, i18n.language)}>
            {formatRecent(createdAt, i18n.language)}
          </Text>
          <Text size="xs" c="dimmed" hiddenFrom="sm" style={{ overflowWrap: 'anywhere' }}>
            {target}
          </Text>
        </Box>
      ),
    },
    {
      accessor: 'target',
      title: t('messages.target'),
      visibleMediaQuery: fromSmall,
      render: ({ target, channel }) => (
        <Box miw={160}>
          <Text size="sm" style={{ overflowWrap: 'anywhere' }}>
            {target}
          </Text>
          <Text size="xs" c="dimmed">
            {t(`alerts.channel.${channel}`)}
          </Text>
        </Box>
      ),
    },
    {
      accessor: 'state',
      title: t('messages.state'),
      render: ({ id, state, nextAt, attempts, lastError, isResendable }) => (
        <Box miw={140}>
          <Badge color={colors[state]}>{t(`messages.state.${state}`)}</Badge>
          {state === 'waiting' && nextAt !== null && attempts > 0 && (
            <Text size="xs" c="dimmed">
              {t('messages.next', { time: formatRecent(nextAt, i18n.language) })}
            </Text>
          )}
          {lastError !== null && (
            <Text size="xs" hiddenFrom="sm" style={{ overflowWrap: 'anywhere' }}>
              {deliveryText(lastError)}
            </Text>
          )}
          {isResendable && <ResendButton id={id} />}
        </Box>
      ),
    },
    {
      accessor: 'attempts',
      title: t('messages.attempts'),
      visibleMediaQuery: fromSmall,
    },
    {
      accessor: 'lastError',
      title: t('messages.lastError'),
      visibleMediaQuery: fromSmall,
      render: ({ lastError }) => (
        <Text size="xs" style={{ overflowWrap: 'anywhere' }}>
          {lastError !== null && deliveryText(lastError)}
        </Text>
      ),
    },
  ]
}
