import { Group, Table, Text } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import type { UsageDetail } from '../../../src/console-api/contract.ts'
import { protocolLabel } from '../codes/protocol-label.ts'
import { formatDuration, formatMoment } from '../format/times.ts'
import { CopyIcon } from '../parts/values/copy-icon.tsx'

export function RequestFacts({ detail }: { detail: UsageDetail }) {
  const { t, i18n } = useTranslation()
  const facts: [string, string | null, 'id'?][] = [
    [t('requestDetail.id'), detail.requestId, 'id'],
    [t('requestDetail.upstreamId'), detail.upstreamRequestId, 'id'],
    [t('requestDetail.clientId'), detail.clientRequestId, 'id'],
    [t('requestDetail.time'), formatMoment(detail.at, i18n.language)],
    [t('requestDetail.account'), detail.accountName],
    [
      t('requestDetail.key'),
      [detail.keyName ?? detail.keyId, detail.keyHint].filter(Boolean).join(' · '),
    ],
    [t('usage.keyOwner'), detail.keyOwner],
    [t('requestDetail.endpoint'), protocolLabel(detail.protocol)],
    [t('requestDetail.group'), detail.group],
    [t('requestDetail.stream'), detail.isStream ? t('requestDetail.yes') : t('requestDetail.no')],
    [
      t('requestDetail.firstToken'),
      detail.firstTokenMs === null ? null : formatDuration(detail.firstTokenMs),
    ],
    [t('requestDetail.queued'), detail.queuedMs === null ? null : formatDuration(detail.queuedMs)],
    [t('requestDetail.duration'), formatDuration(detail.totalMs)],
    [t('requestDetail.address'), detail.clientAddress],
  ]
  return (
    <Table variant="vertical" withTableBorder fz="sm" verticalSpacing={6}>
      <Table.Tbody>
        {facts.map(([name, value, kind]) => (
          <Table.Tr key={name} hidden={value === null}>
            <Table.Th w={130} fw={400} c="dimmed">
              {name}
            </Table.Th>
            <Table.Td>
              <Group gap={4} justify="space-between" wrap="nowrap">
                <Text
                  size="sm"
                  {...(kind === 'id' ? { ff: 'monospace' } : {})}
                  style={{ overflowWrap: 'anywhere' }}
                >
                  {value}
                </Text>
                {kind === 'id' && value !== null && <CopyIcon value={value} />}
              </Group>
            </Table.Td>
          </Table.Tr>
        ))}
      </Table.Tbody>
    </Table>
  )
}
