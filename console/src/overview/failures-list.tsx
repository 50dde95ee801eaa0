import { Group, Paper, Stack, Text, UnstyledButton } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import type { UsageRow } from '../../../src/console-api/contract.ts'
import { useReasonText } from '../codes/use-reason-text.ts'
import { formatAgo } from '../format/times.ts'
import { StatusBadge } from '../parts/values/status-badge.tsx'

interface FailuresListProps {
  readonly failures: readonly UsageRow[]
  readonly onOpen: (requestId: string) => void
}

/** The newest failed requests with their reasons. Each links to its details. */
export function FailuresList({ failures, onOpen }: FailuresListProps) {
  const { t, i18n } = useTranslation()
  const reasonText = useReasonText()
  if (failures.length === 0) {
    return (
      <Paper withBorder p="md">
        <Text size="sm" c="dimmed">
          {t('overview.noFailures')}
        </Text>
      </Paper>
    )
  }
  return (
    <Paper withBorder px="md" py="xs">
      <Stack gap={0}>
        {failures.map((row) => (
          <UnstyledButton key={row.requestId} py={7} onClick={() => onOpen(row.requestId)}>
            <Group gap="sm" wrap="nowrap">
              <StatusBadge status={row.status} reason={null} />
              <div style={{ minWidth: 0, flex: 1 }}>
                <Text size="sm" fw={500} lineClamp={2}>
                  {row.reason === null ? row.status : reasonText(row.reason)}
                </Text>
                <Text size="xs" c="dimmed" lineClamp={2} style={{ overflowWrap: 'anywhere' }}>
                  {row.keyName ?? row.keyId} · {row.model ?? t('usage.noModel')}
                </Text>
              </div>
              <Text size="xs" c="dimmed" className="figures">
                {formatAgo(row.at, i18n.language)}
              </Text>
            </Group>
          </UnstyledButton>
        ))}
      </Stack>
    </Paper>
  )
}
