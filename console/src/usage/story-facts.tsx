import { Group, Table, Text } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import type { UsageStory } from '../../../src/console-api/contract.ts'
import { formatDuration, formatMoment } from '../format/times.ts'
import { CopyIcon } from '../parts/copy-icon.tsx'

export function StoryFacts({ story }: { story: UsageStory }) {
  const { t, i18n } = useTranslation()
  const facts: [string, string | null, 'id'?][] = [
    [t('story.id'), story.requestId, 'id'],
    [t('story.upstreamId'), story.upstreamRequestId, 'id'],
    [t('story.clientId'), story.clientRequestId, 'id'],
    [t('story.time'), formatMoment(story.at, i18n.language)],
    [t('story.account'), story.accountName],
    [t('story.key'), [story.keyName ?? story.keyId, story.keyHint].filter(Boolean).join(' · ')],
    [t('story.endpoint'), story.protocol],
    [t('story.group'), story.group],
    [t('story.stream'), story.isStream ? t('story.yes') : t('story.no')],
    [
      t('story.firstToken'),
      story.firstTokenMs === null ? null : formatDuration(story.firstTokenMs),
    ],
    [t('story.duration'), formatDuration(story.totalMs)],
    [t('story.address'), story.clientAddress],
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
