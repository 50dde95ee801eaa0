import { Group, Text, Timeline } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import type { UsageAttempt } from '../../../src/console-api/contract.ts'
import { useNoteText } from '../codes/use-note-text.ts'
import { useReasonText } from '../codes/use-reason-text.ts'
import { formatDuration } from '../format/times.ts'
import { StatusBadge } from '../parts/values/status-badge.tsx'

/** All attempts in order, with their durations and reasons. */
export function AttemptList({ attempts }: { attempts: readonly UsageAttempt[] }) {
  const { t } = useTranslation()
  const reasonText = useReasonText()
  const noteText = useNoteText()
  const factTexts = ({ firstByteMs, totalMs, credential, note }: UsageAttempt) => {
    const texts = [
      t('requestDetail.tookInAll', { time: formatDuration(totalMs) }),
      ...(credential === null ? [] : [credential]),
    ]
    if (firstByteMs !== null) {
      return [t('requestDetail.firstByteAfter', { time: formatDuration(firstByteMs) }), ...texts]
    }
    // The time of an error response is not recorded, only its status.
    const isSilent = note !== null && typeof note !== 'string' && note.answered === undefined
    return isSilent ? [t('requestDetail.noAnswer'), ...texts] : texts
  }
  if (attempts.length === 0) {
    return (
      <Text size="sm" c="dimmed">
        {t('requestDetail.noAttempts')}
      </Text>
    )
  }
  const wholeMs = Math.max(
    1,
    attempts.reduce((sum, { totalMs }) => sum + totalMs, 0),
  )
  const startsMs = attempts.map((_, index) =>
    attempts.slice(0, index).reduce((sum, { totalMs }) => sum + totalMs, 0),
  )
  return (
    <Timeline
      active={attempts.length}
      bulletSize={14}
      lineWidth={2}
      styles={{ itemBullet: { backgroundColor: 'var(--mantine-color-body)' } }}
    >
      {attempts.map((attempt, index) => {
        const color = isSuccess(attempt) ? 'teal' : 'orange'
        const isLast = index === attempts.length - 1
        return (
          // biome-ignore lint/suspicious/noArrayIndexKey: attempts have no other name, and never change order.
          <Timeline.Item key={index} color={color}>
            <Group gap="xs">
              <Text size="sm" fw={500}>
                {attempt.upstream ?? t('requestDetail.attempt', { number: index + 1 })}
              </Text>
              <StatusBadge status={attempt.status} reason={null} />
              {attempt.reason !== null && (
                <Text size="sm" c="dimmed" title={attempt.reason}>
                  {reasonText(attempt.reason)}
                </Text>
              )}
              {attempt.reason !== null && !isLast && (
                <Text size="sm" c="dimmed">
                  {t('requestDetail.next')}
                </Text>
              )}
            </Group>
            <Text size="xs" c="dimmed" mt={2}>
              {factTexts(attempt).join(' · ')}
            </Text>
            {attempt.note !== null && (
              <Text size="xs" c="dimmed">
                {noteText(attempt.note)}
              </Text>
            )}
            <div className="attempt-track" aria-hidden>
              <div
                className="attempt-bar"
                style={{
                  left: `${((startsMs[index] ?? 0) / wholeMs) * 100}%`,
                  width: `${(attempt.totalMs / wholeMs) * 100}%`,
                  background: `var(--mantine-color-${color}-5)`,
                }}
              />
            </div>
          </Timeline.Item>
        )
      })}
    </Timeline>
  )
}

function isSuccess({ status }: UsageAttempt): boolean {
  return status !== null && status < 400
}
