import { Badge, Group, Stack, Text, Title } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import { chargeFlags, type UsageStory } from '../../../src/console-api/contract.ts'
import { usageStoryQuery } from '../api/usage-queries.ts'
import { findCode } from '../codes/find-code.ts'
import { useReasonText } from '../codes/use-reason-text.ts'
import { useWarningText } from '../codes/use-warning-text.ts'
import { PageError } from '../parts/page-error.tsx'
import { PagePending } from '../parts/page-pending.tsx'
import { SidePanel } from '../parts/side-panel.tsx'
import { StatusBadge } from '../parts/status-badge.tsx'
import { AttemptList } from './attempt-list.tsx'
import { CostTable } from './cost-table.tsx'
import { StoryFacts } from './story-facts.tsx'

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
      title={t('story.title')}
    >
      {requestId !== undefined && <StoryLoader requestId={requestId} />}
    </SidePanel>
  )
}

function StoryLoader({ requestId }: { requestId: string }) {
  const story = useQuery(usageStoryQuery(requestId))
  if (story.error) return <PageError error={story.error} reset={() => void story.refetch()} />
  return story.data ? <Story story={story.data} /> : <PagePending />
}

function Story({ story }: { story: UsageStory }) {
  const { t } = useTranslation()
  const reasonText = useReasonText()
  const warningText = useWarningText()
  const flagText = (flag: string) => {
    const known = findCode(chargeFlags, flag)
    return known === undefined ? flag : t(`flag.${known}`)
  }
  return (
    <Stack gap="lg">
      <Group gap="xs">
        <StatusBadge status={story.status} reason={null} />
        <Text fw={600}>{story.model ?? t('usage.noModel')}</Text>
        {story.reason !== null && (
          <>
            <Text size="sm">{reasonText(story.reason)}</Text>
            <Text size="xs" c="dimmed" ff="monospace">
              {story.reason}
            </Text>
          </>
        )}
      </Group>
      <Part title={t('story.cost')}>
        <CostTable story={story} />
      </Part>
      <Part title={t('story.attempts')}>
        <AttemptList attempts={story.attempts} />
      </Part>
      {story.warnings.length > 0 && (
        <Part title={t('story.warnings')}>
          {story.warnings.map((warning) => (
            <Text key={warning} size="sm" c="orange">
              {warningText(warning)}
            </Text>
          ))}
        </Part>
      )}
      {story.flags.length > 0 && (
        <Part title={t('story.flags')}>
          <Group gap={6}>
            {story.flags.map((flag) => (
              <Badge key={flag} color="gray">
                {flagText(flag)}
              </Badge>
            ))}
          </Group>
        </Part>
      )}
      <Part title={t('story.facts')}>
        <StoryFacts story={story} />
      </Part>
    </Stack>
  )
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
