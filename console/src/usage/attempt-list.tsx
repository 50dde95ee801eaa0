import { Group, Text, Timeline } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import type { UsageAttempt } from '../../../src/console-api/contract.ts'
import { formatDuration } from '../format/times.ts'
import { StatusBadge } from '../parts/status-badge.tsx'

interface AttemptListProps {
  readonly attempts: readonly UsageAttempt[]
  /** The upstream that answered; alone when the log has no separate attempts. */
  readonly upstream: string | null
}

/** Every try at an upstream in order, and why the next one was made. */
export function AttemptList({ attempts, upstream }: AttemptListProps) {
  const { t } = useTranslation()
  if (attempts.length === 0) {
    return (
      <Text size="sm" c="dimmed">
        {upstream === null ? t('story.noAttempts') : t('story.oneAttempt', { upstream })}
      </Text>
    )
  }
  return (
    <Timeline active={attempts.length} bulletSize={14} lineWidth={2}>
      {attempts.map((attempt, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: attempts have no other name, and never change order.
        <Timeline.Item key={index} color={isSuccess(attempt) ? 'teal' : 'orange'}>
          <Group gap="xs">
            <Text size="sm" fw={500}>
              {attempt.upstream}
            </Text>
            <StatusBadge status={attempt.status} reason={null} />
            {attempt.reason !== null && (
              <Text size="sm" c="dimmed" ff="monospace">
                {attempt.reason}
              </Text>
            )}
          </Group>
          <Text size="xs" c="dimmed" mt={2}>
            {attempt.firstByteMs === null
              ? t('story.noAnswer')
              : t('story.firstByteAfter', { time: formatDuration(attempt.firstByteMs) })}
            {' · '}
            {t('story.tookInAll', { time: formatDuration(attempt.totalMs) })}
          </Text>
        </Timeline.Item>
      ))}
    </Timeline>
  )
}

function isSuccess({ status }: UsageAttempt): boolean {
  return status !== null && status < 400
}
